internal import JPNGContainer
internal import Raster

/// The result of checking a file that should be a JPNG.
package struct JPNGReport {
    /// The defect that makes the file unreadable or incomplete, with its byte offset if known; nil if it is sound.
    package private(set) var problem: ImageError?
    /// Unusual properties that aren't errors.
    package private(set) var notes: [String] = []

    /// Checks the layout of the file in `bytes`, and decodes both parts.
    package init(_ bytes: [UInt8]) {
        let data = bytes.span.bytes
        let container: JPNGContainer
        do throws(JPNGError) {
            container = try JPNGContainer(verifying: data)
        } catch {
            problem = ImageError(error)
            return
        }
        addNotes(container)
        if JPNGTag.range(in: container.color(of: data)) == nil {
            notes.append("there is no tag: programs that look at the first bytes take it for a JPEG")
        }
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

    /// Decodes the part at `range`; records an error with its offset in the whole file.
    private mutating func decode(_ bytes: [UInt8], _ range: Range<Int>, _ part: String) -> ImageHeader? {
        do throws(ImageError) {
            let picture = try ImageSource.decode(
                Array(bytes[range]), options: DecodingOptions(color: .asStored, appliesOrientation: false),
                registry: Self.partRegistry)
            if let error = picture.error { throw error }
            return picture.header
        } catch {
            let about = error.byteOffset == nil ? "in the \(part) that begins at that byte" : "in the \(part)"
            let place = range.lowerBound + (error.byteOffset ?? 0)
            if problem == nil {
                problem = ImageError(error.code, "\(error.message), \(about)", byteOffset: place)
            }
            return nil
        }
    }

    /// All codecs except JPNG: with it, a part that ends in a footer would be read as a JPNG.
    package static let partRegistry = {
        var registry = CodecRegistry.builtIn
        registry.unregister(.jpng)
        return registry
    }()
}
