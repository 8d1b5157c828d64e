//! `hayward ledger`

use crate::args::{LedgerArgs, LedgerCommand};
use crate::failure::{End, Failure, Outcome};
use crate::output::{Output, Tone, counted};
use hayward_ledger::LedgerError;
use serde_json::json;

pub(crate) fn run(args: &LedgerArgs, output: &Output) -> Outcome {
    let LedgerCommand::Verify(project) = &args.command;
    let manifest = crate::fleet::manifest(project)?;
    let Some(view) = crate::fleet::view(&manifest.directory)? else {
        output.line("nothing was recorded yet");
        output.document(&json!({ "ok": true, "receipts": 0 }));
        return Ok(End::Done);
    };
    match view.verify() {
        Ok(verified) => {
            let whole = output.paint(Tone::Good, "whole");
            output.line(format!(
                "{}: {whole}, head {}",
                counted(verified.receipts as usize, "receipt"),
                verified.head
            ));
            output.document(&json!({
                "ok": true,
                "receipts": verified.receipts,
                "head": verified.head,
                "key": verified.key.to_string(),
            }));
            Ok(End::Done)
        }
        Err(LedgerError::Broken(broken)) => {
            output.note(format!("error: {broken}"));
            output.document(
                &json!({ "ok": false, "receipt": broken.seq, "error": broken.to_string() }),
            );
            Ok(End::Refused)
        }
        Err(error) => Err(Failure::of(&error)),
    }
}
