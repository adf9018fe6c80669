import Raster

/// The processor's vectors.
enum Vectors {
    /// Runs `body` with the widest and with the narrowest.
    static func onEachPath(_ body: () throws -> Void) rethrows {
        defer { ResamplingKernels.allowWidestVectors(true) }
        for allowed in [true, false] {
            ResamplingKernels.allowWidestVectors(allowed)
            try body()
        }
    }
}
