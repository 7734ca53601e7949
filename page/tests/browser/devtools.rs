//! A browser that is driven through a pipe, by the protocol of its developer tools: lines of JSON, each with a NUL at its end.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub(crate) struct Browser {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    last_id: u64,
}

/// The longest wait for a page.
const PATIENCE: Duration = Duration::from_secs(60);

impl Browser {
    pub(crate) fn start(profile: &Path) -> Self {
        let Some(browser) = std::env::var_os("NPY_BROWSER") else {
            panic!("NPY_BROWSER names no browser: `cargo xtask slow` finds one and runs this")
        };
        // The browser uses file descriptors 3 and 4; the shell makes them of its input and output.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"])
            .arg(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .args(["--disable-quic", "--remote-debugging-pipe", "--window-size=1000,1400"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Browser { process, input, output, session: None, last_id: 0 }
    }

    /// Opens a page in a new tab.
    pub(crate) fn open(&mut self, url: &str) {
        let target = self.call("Target.createTarget", json!({ "url": url }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.call("Target.attachToTarget", attach);
        self.session = Some(session["sessionId"].as_str().unwrap().to_owned());
    }

    /// Runs a script in the page; returns its result, waiting for a promise, as text.
    pub(crate) fn eval(&mut self, script: &str) -> String {
        let arguments =
            json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", arguments);
        assert!(answer.get("exceptionDetails").is_none(), "{script}\n{answer:#}");
        match &answer["result"]["value"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// Waits until a condition of the page is true.
    pub(crate) fn wait(&mut self, condition: &str) {
        let start = Instant::now();
        while self.eval(&format!("String(Boolean({condition}))")) != "true" {
            if start.elapsed() > PATIENCE {
                let body = self.eval("document.body?.innerText");
                panic!("{condition} is not true after {PATIENCE:?}:\n{body}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Chooses a file in an input.
    pub(crate) fn choose(&mut self, selector: &str, path: &Path) {
        let document = self.call("DOM.getDocument", json!({}));
        let query = json!({ "nodeId": document["root"]["nodeId"], "selector": selector });
        let input = self.call("DOM.querySelector", query);
        let files = json!({ "nodeId": input["nodeId"], "files": [path.to_str().unwrap()] });
        self.call("DOM.setFileInputFiles", files);
    }

    /// Writes a picture of the complete page.
    pub(crate) fn picture(&mut self, path: &Path) {
        let arguments = json!({ "format": "png", "captureBeyondViewport": true });
        let picture = self.call("Page.captureScreenshot", arguments);
        let text = path.with_extension("base64");
        std::fs::write(text, picture["data"].as_str().unwrap()).unwrap();
    }

    /// Calls a method of the protocol, and waits for its answer.
    fn call(&mut self, method: &str, arguments: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": arguments });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = Vec::new();
            let length = self.output.read_until(0, &mut answer).unwrap();
            assert!(length > 0, "the browser has ended, before it answered {method}");
            answer.pop();
            let mut answer: Value = serde_json::from_slice(&answer).unwrap();
            // Others are events.
            if answer["id"] == self.last_id {
                assert!(answer.get("error").is_none(), "{method}: {answer:#}");
                return answer["result"].take();
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Without its pipe the browser ends by itself; its files are removed after that.
        self.input = None;
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if self.process.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
