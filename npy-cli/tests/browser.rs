//! The page of `npy view` in a real browser, which has no network. Only `cargo xtask slow` turns on the feature `browser`, and names the browser.

use std::path::Path;
use std::process::Command;

/// Returns the elements of a page after the browser has parsed it.
fn dom(page: &Path, profile: &Path) -> String {
    let Some(browser) = std::env::var_os("NPY_BROWSER") else {
        panic!("NPY_BROWSER names no browser: `cargo xtask slow` finds one and runs this")
    };
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    assert!(dom.contains("<html"), "{dom}{}", String::from_utf8_lossy(&output.stderr));
    dom
}

#[test]
fn the_page_shows_header_rows_and_pictures_in_a_browser() {
    let dir = tempfile::tempdir().unwrap();
    let (csv, page) = (dir.path().join("x.csv"), dir.path().join("x.html"));
    // The names and the text are not to become elements.
    let mut text = "time,gain,<b>name</b>\n".to_owned();
    for day in 1..=28 {
        text += &format!(
            "2024-02-{day:02},{},<script>document.title='run'</script>\n",
            day as f64 / 4.0
        );
    }
    std::fs::write(&csv, text).unwrap();
    let npy =
        Command::new(env!("CARGO_BIN_EXE_npy")).arg("view").arg(&csv).arg("-o").arg(&page).output();
    let npy = npy.unwrap();
    assert!(npy.status.success(), "{}", String::from_utf8_lossy(&npy.stderr));
    let dom = dom(&page, &dir.path().join("profile"));
    for part in [
        "<th>shape</th><td>(28,)</td>",
        "<td class=\"n\">8</td><td>gain</td><td>&lt;f8</td>",
        "<td class=\"n\">2024-02-20</td><td class=\"n\">5.0</td><td>&lt;script&gt;",
        "8 more rows are not shown.",
        "<th>&lt;b&gt;name&lt;/b&gt;</th>",
        // A date of the horizontal axis.
        "text-anchor=\"middle\" fill=\"#59636e\">2024-02-",
    ] {
        assert!(dom.contains(part), "{part}\n{dom}");
    }
    // The browser has parsed two pictures, and no other element than those of the page.
    assert_eq!(dom.matches("</svg>").count(), 2, "{dom}");
    assert!(dom.contains("<path d=\"M"), "{dom}");
    assert_eq!(dom.matches("<script").count() + dom.matches("<b>").count(), 0, "{dom}");
    assert!(!dom.contains("<title>run</title>"), "{dom}");
}
