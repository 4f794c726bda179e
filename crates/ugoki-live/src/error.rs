//! Why a packet or message cannot be used.

/// Why a packet or message is unusable.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum VmcError {
    /// Not OSC.
    #[error("the packet is not OSC: {0}")]
    Packet(String),
    /// A known address with arguments that do not fit.
    #[error("{address} has arguments that do not fit")]
    Arguments {
        /// The address.
        address: String,
    },
    /// Bundles nested too deep.
    #[error("bundles are nested more than 8 deep")]
    Depth,
}
