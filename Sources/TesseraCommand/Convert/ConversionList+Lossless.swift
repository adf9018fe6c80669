internal import ArgumentParser
internal import Tessera

extension ConversionList {
    /// Checks that the formats of all outputs can keep pixels as they are.
    ///
    /// JPEG can't; but a JPEG XL made from a JPEG becomes that JPEG again.
    /// - Throws: `ValidationError` with the formats that can.
    func checkLossless() throws {
        let registry = CodecRegistry.default
        for entry in entries where !registry.capabilities(of: entry.format).contains(.lossless) {
            if entry.format == .jpeg, isJPEGXL(entry.input, registry) { continue }
            let able = registry.encodableFormats.filter { registry.capabilities(of: $0).contains(.lossless) }
            throw ValidationError(
                "\(entry.format.name) can't keep every pixel as it is, so --lossless is impossible for \(entry.output); "
                    + "use one of: \(able.map(\.filenameExtension).joined(separator: ", "))")
        }
    }

    private func isJPEGXL(_ input: InputLocation, _ registry: CodecRegistry) -> Bool {
        switch input {
        // Its format isn't known before it is read.
        case .standardInput: true
        case .file(let path):
            registry.format(forFilenameExtension: FilePath(path).filenameExtension) == .jpegXL
                || (try? ImageSource.header(of: Source(path: path)).format) == .jpegXL
        }
    }
}
