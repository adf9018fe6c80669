extension CodecRegistry {
    /// What this build can read and write by itself, with the libraries that are installed.
    public static let builtIn = CodecRegistry(installedCodecs)

    private static var installedCodecs: [any ImageCodec] {
        [JPNGCodec(), PNGCodec(), JPEGCodec()]
    }
}
