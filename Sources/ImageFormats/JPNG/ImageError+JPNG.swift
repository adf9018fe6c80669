internal import JPNGContainer
internal import Raster

extension ImageError {
    /// What is wrong with a JPNG's layout, as every public entry reports it.
    init(_ error: JPNGError) {
        let code: Code =
            switch error.code {
            case .unsupportedVersion: .unsupported
            case .truncated: .truncated
            case .partTooLarge: .limitExceeded
            case .unknownIdentifier: .unknownFormat
            default: .corrupt
            }
        self.init(code, error.message, byteOffset: error.offset.map { Int(clamping: $0) })
    }

    /// The same error of a part that begins at `offset` in the file.
    func inPart(_ name: String, at offset: Int) -> ImageError {
        ImageError(code, "in the \(name): \(message)", byteOffset: byteOffset.map { $0 + offset })
    }
}
