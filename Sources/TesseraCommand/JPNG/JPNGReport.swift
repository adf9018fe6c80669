internal import JPNGContainer
internal import Tessera

/// What there is to say of a file that should be a JPNG.
struct JPNGReport {
    /// What makes it unreadable or incomplete, with the byte where that is known; nil when it is sound.
    private(set) var problem: String?
    /// What is unusual about it.
    private(set) var notes: [String] = []

    init(_ bytes: [UInt8]) {
        let data = bytes.span.bytes
        let container: JPNGContainer
        do throws(JPNGError) {
            container = try JPNGContainer(verifying: data)
        } catch {
            problem = "\(error)"
            return
        }
        addNotes(container)
        let color = decode(bytes, container.colorRange, "colour part")
        let mask = decode(bytes, container.maskRange, "mask")
        guard let color, let mask else { return }
        if color.storedSize != mask.storedSize {
            notes.append("the mask is \(mask.storedSize), the picture \(color.storedSize)")
        }
        if mask.colorModel != .gray { notes.append("the mask isn't grey but \(mask.colorModel.rawValue)") }
    }

    private mutating func addNotes(_ container: JPNGContainer) {
        let footer = container.footer
        if footer.identifier != .standard {
            notes.append("the identifier is \(footer.identifier.spelling) instead of GNPJ")
        }
        if footer.majorVersion != container.maskKind.majorVersion {
            notes.append(
                "version \(footer.majorVersion).\(footer.minorVersion) with a \(container.maskKind.rawValue) mask")
        }
        if footer.minorVersion != 0 { notes.append("the minor version \(footer.minorVersion) is not known") }
        if !container.slackRange.isEmpty {
            notes.append("\(container.slackRange.count) bytes at byte \(container.slackRange.lowerBound) mean nothing")
        }
    }

    /// Decodes the part at `range`; records what fails, at its byte of the whole file.
    private mutating func decode(_ bytes: [UInt8], _ range: Range<Int>, _ part: String) -> ImageHeader? {
        do throws(ImageError) {
            let picture = try ImageSource.decode(
                Array(bytes[range]), options: DecodingOptions(color: .asStored, appliesOrientation: false),
                registry: JPNGPart.registry)
            if let error = picture.error { throw error }
            return picture.header
        } catch {
            let place = range.lowerBound + (error.byteOffset ?? 0)
            let about = error.byteOffset == nil ? "in the \(part) that begins at byte" : "in the \(part), at byte"
            if problem == nil { problem = "\(error.message) (\(about) \(place))" }
            return nil
        }
    }
}

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
