//! Receipts of earlier versions read back.

use hayward_fleet::recorded::{ApplyBody, DecisionBody};
use hayward_model::Digest;

#[test]
fn a_receipt_that_says_nothing_of_the_text_reads_back_and_is_written_as_it_was() {
    let digest = Digest::of(b"x");
    let old = format!(
        "{{\"fleet\":\"commons\",\"plan\":\"{digest}\",\"phase\":\"applied\",\
         \"generation\":2,\"changed\":1,\"reason\":null}}"
    );
    let body: ApplyBody = serde_json::from_str(&old).unwrap();
    assert_eq!((body.model, body.uncommitted), (None, false));
    assert_eq!(serde_json::to_string(&body).unwrap(), old);
    let old = format!(
        "{{\"fleet\":\"commons\",\"policy\":\"p\",\"allowed\":true,\
         \"evidence\":\"{digest}\",\"findings\":[]}}"
    );
    let body: DecisionBody = serde_json::from_str(&old).unwrap();
    assert!(!body.uncommitted);
    assert_eq!(serde_json::to_string(&body).unwrap(), old);
}
