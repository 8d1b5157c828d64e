//! What ends an answer that says no length.
//!
//! Such an answer ends with its connection (RFC 9112 section 6.3). Only an orderly end says that it
//! is whole: over TLS the alert `close_notify`, else the FIN of TCP (sections 8 and 9.8). The
//! library takes every end for one; so whatever is no orderly end is another error to it.

use std::fmt;
use std::io::ErrorKind;
use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// Watches how a connection ends.
#[derive(Debug)]
pub(crate) struct Whole;

impl<In: Transport> Connector<In> for Whole {
    type Out = Watched<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(Watched))
    }
}

/// A connection whose end is watched.
#[derive(Debug)]
pub(crate) struct Watched<In>(In);

impl<In: Transport> Transport for Watched<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.0.await_input(timeout).map_err(|error| match error {
            Error::Io(error) if is_cut(error.kind()) => Error::Other(Box::new(Cut)),
            other => other,
        })
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}

/// A FIN without `close_notify` is an unexpected end to rustls; the others are resets.
fn is_cut(kind: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        kind,
        UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe
    )
}

/// The connection ended, and in no orderly way.
#[derive(Debug)]
pub(crate) struct Cut;

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection was cut")
    }
}

impl std::error::Error for Cut {}
