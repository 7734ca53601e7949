//! A worker of a cluster: reads the files of its part of a query, and exchanges rows with the other workers.

use std::process::ExitCode;

use clap::Parser;
use npy_distributed::datafusion::error::Result;
use tokio::net::TcpListener;

/// A worker of a cluster that queries .npy and .npz files with SQL.
///
/// The stores of clouds (s3://, gs://, az://) are made from the environment: AWS_ACCESS_KEY_ID and the like.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The address to listen at; 0.0.0.0:50051 for other machines. Port 0 is any port that is free
    #[arg(long, default_value = "127.0.0.1:50051")]
    bind: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("npy-worker: {}", error.strip_backtrace());
            ExitCode::from(2)
        }
    }
}

async fn run(args: Args) -> Result<()> {
    let listener = TcpListener::bind(&args.bind).await?;
    // The first line is for programs that start a worker.
    println!("{}", listener.local_addr()?);
    npy_distributed::serve(listener).await
}
