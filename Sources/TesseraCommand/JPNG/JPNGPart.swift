internal import JPNGContainer
internal import Tessera

/// The parts of a JPNG as pictures of their own.
enum JPNGPart {
    /// What reads them: JPNG itself left out, or a part that ends in a footer would be taken for one.
    static let registry = {
        var registry = CodecRegistry.builtIn
        registry.unregister(.jpng)
        return registry
    }()

    /// What a part says of itself. `name` is for the message.
    static func header(_ bytes: [UInt8], name: String) throws -> ImageHeader {
        do throws(ImageError) {
            return try ImageSource.header(of: bytes, registry: registry)
        } catch {
            throw CommandFailure("\(name): \(error)")
        }
    }
}
