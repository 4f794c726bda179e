//! Unity's names of human bones. They are VRM's with a capital, but for thumbs: Unity counts them from the metacarpal as
//! proximal, intermediate, distal.

use ugoki_base::skeleton::Role;

const THUMBS: &[(&str, Role)] = &[
    ("LeftThumbProximal", Role::LeftThumbMetacarpal),
    ("LeftThumbIntermediate", Role::LeftThumbProximal),
    ("LeftThumbDistal", Role::LeftThumbDistal),
    ("RightThumbProximal", Role::RightThumbMetacarpal),
    ("RightThumbIntermediate", Role::RightThumbProximal),
    ("RightThumbDistal", Role::RightThumbDistal),
];

/// The role of a bone that a VMC sender names; `None` for names that are no human bone.
#[must_use]
pub fn role_of(name: &str) -> Option<Role> {
    if let Some(&(_, role)) = THUMBS.iter().find(|(thumb, _)| thumb.eq_ignore_ascii_case(name)) {
        return Some(role);
    }
    // VRM's metacarpal is no Unity bone.
    Role::from_name(name).filter(|role| !THUMBS.iter().any(|(_, thumb)| thumb == role))
}

/// Whether a role is of the body that is performed: all but eyes, jaw and fingers, which performers track and actors seldom have.
#[must_use]
pub fn is_body(role: Role) -> bool {
    let name = role.name();
    let apart = ["Eye", "jaw", "Thumb", "Index", "Middle", "Ring", "Little"];
    !apart.iter().any(|part| name.contains(part))
}

/// The name that VMC receivers know a role by.
#[must_use]
pub fn vmc_name(role: Role) -> String {
    if let Some((name, _)) = THUMBS.iter().find(|(_, thumb)| *thumb == role) {
        return (*name).to_owned();
    }
    let name = role.name();
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_a_name_of_its_own_and_comes_back() {
        let mut names: Vec<String> = Role::ALL.iter().map(|&role| vmc_name(role)).collect();
        for (&role, name) in Role::ALL.iter().zip(&names) {
            assert_eq!(role_of(name), Some(role), "{name}");
        }
        assert_eq!(vmc_name(Role::LeftThumbMetacarpal), "LeftThumbProximal");
        assert_eq!(vmc_name(Role::RightUpperLeg), "RightUpperLeg");
        assert_eq!(role_of("LastBone"), None);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), Role::ALL.len());
    }
}
