//! A real earthquake, three components of it: read, filter, write, plot.
//!
//! `cargo run --example seismic [FILE]`. The built-in file is station BW.RJOB from ObsPy's example data, 30 seconds at
//! 100 Hz; see `examples/data/README.md`. Results go to `target/examples/`.

use std::path::{Path, PathBuf};

use npy_core::time::Ns;
use npy_core::{ByteStr, DateTime64, Header, NpyRecord, ReadNpy, WriteNpy};
use plotters::prelude::*;

/// The number of samples in a trace.
const N: usize = 3000;

/// A trace, as it is in the file.
#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Trace<const N: usize> {
    network: ByteStr<2>,
    station: ByteStr<5>,
    channel: ByteStr<3>,
    start: DateTime64<Ns>,
    /// Samples per second.
    rate: f64,
    samples: [f32; N],
}

/// The header of a filtered trace, a nested record.
#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(rename_all = "camelCase")]
struct TraceHeader {
    station: ByteStr<5>,
    channel: ByteStr<3>,
    start: DateTime64<Ns>,
    rate: f64,
    corner_hz: f32,
}

/// A filtered trace; its samples are big-endian, as in many archives.
#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Filtered<const N: usize> {
    #[npy(rename = "hdr")]
    header: TraceHeader,
    #[npy(endian = "big")]
    samples: [f32; N],
}

impl<const N: usize> Trace<N> {
    /// `NETWORK.STATION.LOCATION.CHANNEL`, as seismologists write it; this file has no location code.
    fn id(&self) -> String {
        format!("{}.{}..{}", self.network, self.station, self.channel)
    }

    /// Returns the time of a sample.
    fn time_of(&self, sample: usize) -> DateTime64<Ns> {
        let nanoseconds = (sample as f64 / self.rate * 1e9).round();
        #[expect(clippy::cast_possible_truncation)] // Half a minute of nanoseconds fits.
        DateTime64::new(self.start.count() + nanoseconds as i64)
    }

    /// Removes frequencies below `corner_hz`, with a first-order high-pass filter.
    fn high_pass(&self, corner_hz: f32) -> Filtered<N> {
        let step = 1.0 / self.rate;
        let rc = 1.0 / (std::f64::consts::TAU * f64::from(corner_hz));
        let keep = rc / (rc + step);
        let mut samples = [0.0; N];
        let mut last = f64::from(self.samples[0]);
        let mut out = 0.0;
        for (slot, &sample) in samples.iter_mut().zip(&self.samples) {
            let sample = f64::from(sample);
            out = keep * (out + sample - last);
            last = sample;
            #[expect(clippy::cast_possible_truncation)] // Back to the precision that came in.
            let narrow = out as f32;
            *slot = narrow;
        }
        let header = TraceHeader {
            station: self.station,
            channel: self.channel,
            start: self.start,
            rate: self.rate,
            corner_hz,
        };
        Filtered { header, samples }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/rjob_traces.npy");
    let input = std::env::args_os().nth(1).map_or(built_in, PathBuf::from);
    let output = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/examples");
    std::fs::create_dir_all(&output)?;
    let output = output.canonicalize()?;

    let traces = Vec::<Trace<N>>::read_npy(&input)?;
    println!("{:<12} {:<30} {:>14}  at", "trace", "start", "peak (counts)");
    for trace in &traces {
        if let Some((sample, value)) = peak(&trace.samples) {
            let (id, start, time) = (trace.id(), trace.start, trace.time_of(sample));
            println!("{id:<12} {start:<30} {value:>14.1}  {time}");
        }
    }

    let filtered: Vec<_> = traces.iter().map(|trace| trace.high_pass(2.0)).collect();
    let copy = output.join("rjob_filtered.npy");
    filtered.write_npy(&copy)?;
    assert_eq!(Vec::<Filtered<N>>::read_npy(&copy)?, filtered);
    println!("\n{}: {}", copy.display(), Header::read_npy(&copy)?.dtype());

    let picture = output.join("rjob_traces.svg");
    plot(&traces, &filtered, &picture)?;
    println!("{}", picture.display());
    Ok(())
}

/// Returns the index and the value of the sample with the largest amplitude.
fn peak(samples: &[f32]) -> Option<(usize, f32)> {
    let numbered = samples.iter().copied().enumerate();
    numbered.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))
}

/// Draws each trace in its own panel, over seconds since its start: the filtered samples over the raw ones.
fn plot<const N: usize>(
    traces: &[Trace<N>],
    filtered: &[Filtered<N>],
    path: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let height = 260 * u32::try_from(traces.len().max(1))?;
    let root = SVGBackend::new(path, (1000, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let panels = root.split_evenly((traces.len().max(1), 1));
    for (panel, (trace, filtered)) in panels.iter().zip(traces.iter().zip(filtered)) {
        let peak = peak(&trace.samples).map_or(1.0, |(_, value)| value.abs().max(1.0)) * 1.05;
        let corner = filtered.header.corner_hz;
        let mut chart = ChartBuilder::on(panel)
            .margin(10)
            .margin_right(20)
            .caption(format!("{}  {}", trace.id(), trace.start), ("sans-serif", 16))
            .x_label_area_size(36)
            .y_label_area_size(70)
            .build_cartesian_2d(0.0..N as f64 / trace.rate, -peak..peak)?;
        chart
            .configure_mesh()
            .x_desc("seconds since the start")
            .y_desc("counts")
            .x_labels(7)
            .y_labels(5)
            .x_label_formatter(&|seconds| format!("{seconds:.0}"))
            .y_label_formatter(&|counts| format!("{counts:.0}"))
            .light_line_style(WHITE)
            .draw()?;
        let line = |samples: &[f32; N], color: RGBColor| {
            let points = samples.iter().enumerate();
            let points = points.map(|(i, &sample)| (i as f64 / trace.rate, sample));
            LineSeries::new(points.collect::<Vec<_>>(), color)
        };
        let legend = |color: RGBColor| {
            move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], color.stroke_width(2))
        };
        let (gray, blue) = (RGBColor(170, 170, 170), RGBColor(20, 80, 170));
        chart.draw_series(line(&trace.samples, gray))?.label("raw").legend(legend(gray));
        let label = format!("above {corner} Hz");
        chart.draw_series(line(&filtered.samples, blue))?.label(label).legend(legend(blue));
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .draw()?;
    }
    root.present()?;
    Ok(())
}
