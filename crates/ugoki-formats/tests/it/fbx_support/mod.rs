//! A text FBX of our own: hips with a pre-rotation, one bone below, two takes.

/// What differs between the files of the tests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rig {
    /// 1 for Y up, 2 for Z up.
    pub(crate) up: u8,
    /// Centimetres per unit.
    pub(crate) unit_cm: f64,
    /// Degrees about X, Y, Z before the animated rotation.
    pub(crate) pre_rotation: [f64; 3],
    /// FBX time mode: 6 is 30 frames per second, 11 is 24.
    pub(crate) time_mode: u8,
    /// Degrees about Z at the end of the first second of the first take; the second turns the other way.
    pub(crate) turn: f64,
}

/// Ticks per second.
const SECOND: u64 = 46_186_158_000;

pub(crate) fn text(rig: &Rig) -> String {
    // With Z up the front is −Y, as programs write it.
    let (front, sign) = if rig.up == 2 { (1, -1) } else { (2, 1) };
    let [x, y, z] = rig.pre_rotation;
    let mut out = format!(
        "; FBX 7.4.0 project file
FBXHeaderExtension:  {{
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}}
GlobalSettings:  {{
	Version: 1000
	Properties70:  {{
		P: \"UpAxis\", \"int\", \"Integer\", \"\",{}
		P: \"UpAxisSign\", \"int\", \"Integer\", \"\",1
		P: \"FrontAxis\", \"int\", \"Integer\", \"\",{front}
		P: \"FrontAxisSign\", \"int\", \"Integer\", \"\",{sign}
		P: \"CoordAxis\", \"int\", \"Integer\", \"\",0
		P: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1
		P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}
		P: \"TimeMode\", \"enum\", \"\", \"\",{}
	}}
}}
Objects:  {{
	NodeAttribute: 1000, \"NodeAttribute::\", \"LimbNode\" {{
		TypeFlags: \"Skeleton\"
	}}
	NodeAttribute: 1001, \"NodeAttribute::\", \"LimbNode\" {{
		TypeFlags: \"Skeleton\"
	}}
	Model: 2000, \"Model::mixamorig:Hips\", \"LimbNode\" {{
		Version: 232
		Properties70:  {{
			P: \"RotationActive\", \"bool\", \"\", \"\",1
			P: \"PreRotation\", \"Vector3D\", \"Vector\", \"\",{x},{y},{z}
			P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",1,2,3
		}}
	}}
	Model: 2001, \"Model::mixamorig:Spine\", \"LimbNode\" {{
		Version: 232
		Properties70:  {{
			P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",10,0,50
		}}
	}}
",
        rig.up, rig.unit_cm, rig.time_mode
    );
    for (take, (name, turn)) in [("left", rig.turn), ("right", -rig.turn)].into_iter().enumerate() {
        let id = 3000 + 10 * take;
        out.push_str(&format!(
            "	AnimationStack: {id}, \"AnimStack::{name}\", \"\" {{
		Properties70:  {{
			P: \"LocalStop\", \"KTime\", \"Time\", \"\",{SECOND}
			P: \"ReferenceStop\", \"KTime\", \"Time\", \"\",{SECOND}
		}}
	}}
	AnimationLayer: {}, \"AnimLayer::Base\", \"\" {{
	}}
	AnimationCurveNode: {}, \"AnimCurveNode::R\", \"\" {{
		Properties70:  {{
			P: \"d|X\", \"Number\", \"\", \"A\",0
			P: \"d|Y\", \"Number\", \"\", \"A\",0
			P: \"d|Z\", \"Number\", \"\", \"A\",0
		}}
	}}
	AnimationCurve: {}, \"AnimCurve::\", \"\" {{
		Default: 0
		KeyVer: 4009
		KeyTime: *2 {{
			a: 0,{SECOND}
		}}
		KeyValueFloat: *2 {{
			a: 0,{turn}
		}}
		KeyAttrFlags: *1 {{
			a: 4
		}}
		KeyAttrDataFloat: *4 {{
			a: 0,0,0,0
		}}
		KeyAttrRefCount: *1 {{
			a: 2
		}}
	}}
",
            id + 1,
            id + 2,
            id + 3
        ));
    }
    out.push_str("}\nConnections:  {\n");
    for line in ["\"OO\",1000,2000", "\"OO\",1001,2001", "\"OO\",2000,0", "\"OO\",2001,2000"] {
        out.push_str(&format!("\tC: {line}\n"));
    }
    for id in [3000, 3010] {
        out.push_str(&format!(
            "\tC: \"OO\",{},{id}\n\tC: \"OO\",{},{}\n\tC: \"OP\",{},2000, \"Lcl Rotation\"\n\tC: \"OP\",{},{}, \"d|Z\"\n",
            id + 1,
            id + 2,
            id + 1,
            id + 2,
            id + 3,
            id + 2
        ));
    }
    out.push_str("}\n");
    out
}
