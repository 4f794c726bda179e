//! The result pages: our rows, the peers' from the same run, ratios, goals and bounds.

use std::fmt::Write as _;
use std::path::Path;

use crate::Outcome;
use crate::claims::{Bound, CLAIMS, Claim, PAGES, Page};
use crate::clock::Row;
use crate::plots::{growth_svg, points, slope, steepness};

/// Where README's table begins and ends.
const BEGIN: &str = "<!-- bench: begin -->";
const END: &str = "<!-- bench: end -->";

/// Writes all pages below `docs`, and the summary into `readme` between its marks.
pub(crate) fn write(ours: &Path, peers: &Path, docs: &Path, readme: &Path) -> Outcome {
    let (ours, peers) = (rows(ours)?, rows(peers)?);
    let folder = docs.join("bench");
    std::fs::create_dir_all(&folder)?;
    for one in &PAGES {
        let page = page(one, &ours, &peers, &folder)?;
        std::fs::write(folder.join(format!("{}.md", one.topic)), page)?;
    }
    let list: Vec<String> =
        PAGES.iter().map(|page| format!("- [{}](bench/{}.md)\n", page.title, page.topic)).collect();
    let front = format!(
        "# Measured claims\n\nWritten by `make bench`; do not edit. {}\n\n## Speed\n\n{}\n{}- [Instructions of the hottest \
         functions](bench/instructions.tsv), compared by `make instructions`\n\n## Quality\n\n{}",
        machine(&ours),
        summary(&ours, &peers, "bench/"),
        list.concat(),
        quality(docs)?
    );
    std::fs::write(docs.join("README.md"), front)?;
    let text = std::fs::read_to_string(readme)?;
    let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END)) else {
        return Err(format!("{}: no {BEGIN} … {END}", readme.display()).into());
    };
    let table = summary(&ours, &peers, "docs/results/bench/");
    let text = format!("{}{BEGIN}\n{table}{}", &text[..begin], &text[end..]);
    Ok(std::fs::write(readme, text)?)
}

/// Links to the pages of measured quality, which lie next to the figures' folder, by their headings.
fn quality(docs: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut links = Vec::new();
    for entry in std::fs::read_dir(docs)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name == "README.md" || !name.ends_with(".md") {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
        links.push(format!("- [{title}]({name})\n"));
    }
    links.sort();
    Ok(links.concat())
}

fn rows(file: &Path) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(Into::into)).collect()
}

/// A time (or bytes) with three digits and its unit.
fn shown(value: f64, task: &str) -> String {
    let (scale, unit) = match value {
        _ if task == "program.memory" => (1e6, "MB"),
        _ if task.ends_with(".missed") => (0.01, "%"),
        _ if task.ends_with(".ratio") => (1.0, ""),
        v if v >= 1e9 => (1e9, "s"),
        v if v >= 1e6 => (1e6, "ms"),
        v if v >= 1e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    let value = value / scale;
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}").trim_end().to_owned()
}

/// The 99th percentile; of fewer than a hundred runs the longest, which is said.
fn p99(row: &Row, task: &str) -> String {
    match row.runs {
        0 | 1 => "–".to_owned(),
        2..100 => format!("{} (most)", shown(row.p99_ns, task)),
        _ => shown(row.p99_ns, task),
    }
}

fn ours_of<'a>(claim: &Claim, ours: &'a [Row]) -> Option<&'a Row> {
    ours.iter().find(|row| row.task == claim.task && row.what.is_empty() && row.size == claim.size)
}

/// The fastest peer that does the same work at that size, or at the size nearest to it.
fn peer_of<'a>(claim: &Claim, peers: &'a [Row]) -> Option<&'a Row> {
    let fits = peers.iter().filter(|row| row.task == claim.task && !row.part);
    fits.min_by_key(|row| (row.size.abs_diff(claim.size), row.median_ns as u64))
}

/// By how much the goal is missed, if it is.
fn missed(claim: &Claim, ours: &[Row]) -> Option<String> {
    let (goal, row) = (claim.goal?, ours_of(claim, ours)?);
    let (reached, kind) = if claim.goal_is_p99 { (row.p99_ns, "p99") } else { (row.median_ns, "median") };
    (reached > goal).then(|| {
        let (reached, aim) = (shown(reached, claim.task), shown(goal, claim.task));
        let by = 100.0 * (if claim.goal_is_p99 { row.p99_ns } else { row.median_ns } / goal - 1.0);
        format!("Missed by {by:.0} %: {reached} ({kind}) where {aim} were aimed at.")
    })
}

/// The least time on this machine, ns.
fn least(bound: &Bound, ours: &[Row]) -> Option<f64> {
    let unit = |task: &str| ours.iter().find(|row| row.task == task).map(|row| row.median_ns);
    // Memory, letters and arithmetic go on side by side.
    let parts = [
        bound.bytes * unit("machine.copy")?,
        bound.numbers * unit("machine.parse")?,
        bound.operations * unit("machine.arithmetic")?,
    ];
    Some(parts.into_iter().fold(0.0, f64::max))
}

/// One line per claim of the summary.
fn summary(ours: &[Row], peers: &[Row], link: &str) -> String {
    let mut out = String::from(
        "| what | median | p99 | aimed at | peer, same run | times faster |\n|---|---|---|---|---|---|\n",
    );
    for claim in CLAIMS.iter().filter(|claim| claim.in_summary) {
        let Some(row) = ours_of(claim, ours) else { continue };
        let peer = peer_of(claim, peers);
        if claim.goal.is_none() && peer.is_none() {
            continue;
        }
        let topic = claim.task.split('.').next().unwrap_or_default();
        let goal = claim.goal.map_or(String::new(), |goal| {
            let kind = if claim.goal_is_p99 { " p99" } else { "" };
            let missed = if missed(claim, ours).is_some() { ", **missed**" } else { "" };
            format!("{}{kind}{missed}", shown(goal, claim.task))
        });
        let (theirs, ratio) = peer.map_or(Default::default(), |peer| {
            let size = if peer.size == claim.size { String::new() } else { format!(" (at {})", peer.size) };
            let theirs = format!("{} {}{size}", peer.peer, shown(peer.median_ns, claim.task));
            (theirs, format!("{:.1}", peer.median_ns / row.median_ns))
        });
        let size =
            if claim.grows.is_empty() { String::new() } else { format!(", {} {}", claim.size, claim.grows) };
        let _ = writeln!(
            out,
            "| [{}]({link}{topic}.md){size} | {} | {} | {goal} | {theirs} | {ratio} |",
            claim.what,
            shown(row.median_ns, claim.task),
            p99(row, claim.task)
        );
    }
    out
}

/// What the machine could do in this run.
fn machine(ours: &[Row]) -> String {
    let unit = |task: &str| ours.iter().find(|row| row.task == task).map_or(f64::NAN, |row| row.median_ns);
    format!(
        "In this run one core copied {:.1} GB/s, parsed a number in {:.1} ns and did {:.0} f32 operations a nanosecond. {}",
        1.0 / unit("machine.copy"),
        unit("machine.parse"),
        1.0 / unit("machine.arithmetic"),
        std::env::var("UGOKI_BENCH_MACHINE").unwrap_or_default()
    )
}

fn page(
    page: &Page,
    ours: &[Row],
    peers: &[Row],
    folder: &Path,
) -> Result<String, Box<dyn std::error::Error>> {
    let Page { topic, title, data } = *page;
    let program = if topic == "program" { "UGOKI_BENCH_PROGRAM=target/release/ugoki " } else { "" };
    let command = format!("{program}cargo run --release -p ugoki-bench -- run OUT --only {topic}");
    let mut out = format!(
        "# {title}: measured\n\nWritten by `make bench`; do not edit. `{command}` repeats our part, \
         `python benches-peers/peers.py` (after `ugoki-bench data`) the peers'.\n{}\n\nData: {data} Peers read the same files and search the same networks; \
         where they work on bare arrays, these have the same shapes and are drawn at random.\n",
        machine(ours)
    );
    for claim in CLAIMS.iter().filter(|claim| claim.task.split('.').next() == Some(topic)) {
        let mine: Vec<&Row> = ours.iter().filter(|row| row.task == claim.task).collect();
        if mine.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n## {}\n\n`{}`", claim.what, claim.task);
        if let Some(bound) = &claim.bound
            && let Some(least) = least(bound, ours)
        {
            let _ = writeln!(
                out,
                "\nAn estimate of the least possible here: {} ({}).",
                shown(least, claim.task),
                bound.why
            );
            if ours_of(claim, ours).is_some_and(|row| row.median_ns < least) {
                let _ = writeln!(out, "**Ours is below it, so it is wrong.**");
                eprintln!(
                    "{}: faster than the limit of {}, which is wrong",
                    claim.task,
                    shown(least, claim.task)
                );
            }
        }
        if !claim.note.is_empty() {
            let _ = writeln!(out, "\n{}", claim.note);
        }
        if let Some(missed) = missed(claim, ours) {
            let why = if claim.short.is_empty() { "The reason is unknown." } else { claim.short };
            let _ = writeln!(out, "\n**{missed}** {why}");
        }
        let size = if claim.grows.is_empty() { "size" } else { claim.grows };
        let _ = writeln!(
            out,
            "\n| program | {size} | median | p99 | runs | of ours |\n|---|---|---|---|---|---|"
        );
        let theirs = peers.iter().filter(|row| row.task == claim.task);
        for row in mine.iter().copied().chain(theirs) {
            let same = mine.iter().find(|own| own.what.is_empty() && own.size == row.size);
            let ratio = same.map_or(String::new(), |own| format!("{:.2}", row.median_ns / own.median_ns));
            let program = match (row.peer.as_str(), row.what.as_str()) {
                ("", "") => "Ugoki".to_owned(),
                ("", what) => format!("Ugoki: {what}"),
                (peer, what) if row.part => format!("{peer}: {what} (part of the work)"),
                (peer, what) => format!("{peer}: {what}"),
            };
            let _ = writeln!(
                out,
                "| {program} | {} | {} | {} | {} | {ratio} |",
                row.size,
                shown(row.median_ns, claim.task),
                p99(row, claim.task),
                row.runs
            );
        }
        growth(claim, &mine, folder, &mut out)?;
    }
    Ok(out)
}

/// What a task's figures count.
fn unit(task: &str) -> &'static str {
    if task == "program.memory" { "bytes" } else { "ns" }
}

/// The plot of a claim that grows, its file and its slope.
fn growth(claim: &Claim, mine: &[&Row], folder: &Path, out: &mut String) -> Outcome {
    let used: Vec<&Row> = mine.iter().copied().filter(|row| row.what.is_empty()).collect();
    // A fraction is not a cost.
    if claim.task.ends_with(".ratio") || claim.task.ends_with(".missed") {
        return Ok(());
    }
    let whole = |row: &Row| if claim.each { row.median_ns * row.size as f64 } else { row.median_ns };
    let points = points(&used, whole);
    let Some(slope) = slope(&points) else { return Ok(()) };
    let name = format!("{}.svg", claim.task.replace('.', "-"));
    std::fs::write(
        folder.join(&name),
        growth_svg(claim.what, claim.grows, unit(claim.task), &[(claim.task.to_owned(), points.clone())]),
    )?;
    let upper = steepness(&points[points.len() - 2..]);
    let grows = claim.grows;
    let _ = writeln!(
        out,
        "\nThe whole {} grows as {grows}^{slope:.2} over all sizes, as {grows}^{upper:.2} between the two largest.\n\n![growth]({name})",
        if unit(claim.task) == "bytes" { "memory" } else { "cost" },
    );
    Ok(())
}
