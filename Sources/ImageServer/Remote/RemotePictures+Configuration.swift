#if HTTP
extension RemotePictures {
    /// What is fetched, how, and how much of it is kept.
    package struct Configuration: Sendable {
        /// Where pictures may be fetched from, and from nowhere else.
        package var origins: [Origin]
        /// Bytes of a picture, at most.
        package var maximumByteCount = 256 << 20
        /// How long it may take to get a picture, redirections included.
        package var timeout = Duration.seconds(30)
        /// How long it may take to reach a server, and for how long that may send nothing.
        package var silence = Duration.seconds(10)
        /// Redirections on the way to a picture, at most.
        package var maximumRedirectCount = 5
        /// Pictures fetched at a time, and how many may wait for that.
        package var fetchCount = 8
        package var waitingCount = 64
        /// What pictures may take together on the disk, and how many there may be.
        package var keptByteCount = 1 << 30
        package var keptCount = 256
        /// For how many seconds a picture is good without asking its server, whatever that says.
        package var lifetimes: ClosedRange<Int64> = 60...86_400
        /// The folder for them; nil: the system's for temporary files.
        package var folder: String?
        /// How the addresses of a host are found.
        package var lookUp: @Sendable (_ host: String) async -> [NetworkAddress] = {
            await HostLookup.addresses(of: $0)
        }

        package init(origins: [Origin]) { self.origins = origins }
    }
}
#endif
