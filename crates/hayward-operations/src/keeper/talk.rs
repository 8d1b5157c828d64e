//! What Hayward and a keeper say to each other, over one socket.
//!
//! Hayward sends four bytes, the length of an [`Order`], and with them the
//! program's three standard streams; then the order. The keeper answers with one
//! [`Report`] when all is over, and ends.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// A program to be started.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    /// Its file.
    pub(crate) path: String,
    /// Its argv, the first word included.
    pub(crate) argv: Vec<String>,
}

/// How it went.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The program could not be started.
    NotStarted {
        /// The system's number of the error, if it has one.
        errno: Option<i32>,
        /// The error.
        why: String,
    },
    /// It ended, by itself or because it was told to.
    Ended {
        /// Its exit status, or else the signal that killed it.
        status: Result<i32, i32>,
        /// Processes below it that may not be killed from here.
        left: Vec<i32>,
    },
    /// It was told to end, and may not be killed from here.
    Lives {
        /// It, and processes below it.
        left: Vec<i32>,
    },
}

/// Standard input, output and error.
pub(crate) type Streams = [OwnedFd; 3];

pub(crate) fn send(socket: &mut UnixStream, order: &Order, streams: &Streams) -> io::Result<()> {
    let bytes = serde_json::to_vec(order)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    let fds = streams.each_ref().map(AsFd::as_fd);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&fds)) {
        return Err(io::Error::other("no room for three streams"));
    }
    let length = length.to_le_bytes();
    sendmsg(
        &*socket,
        &[IoSlice::new(&length)],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    socket.write_all(&bytes)
}

pub(crate) fn receive(socket: &mut UnixStream) -> io::Result<(Order, Streams)> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let read = recvmsg(
        &*socket,
        &mut [IoSliceMut::new(&mut length)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL,
    )?;
    let mut fds = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    let streams = <Streams>::try_from(fds).map_err(|_| io::Error::other("no three streams"))?;
    if read.bytes != length.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut bytes = Vec::new();
    let length = u64::from(u32::from_le_bytes(length));
    (&mut *socket).take(length).read_to_end(&mut bytes)?;
    Ok((serde_json::from_slice(&bytes)?, streams))
}
