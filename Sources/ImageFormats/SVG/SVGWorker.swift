#if SVG
internal import Platform
internal import Raster

/// The process that holds one document: it is asked for pictures of it, and ends with this object.
final class SVGWorker {
    /// Pixels on one side, at most: cairo counts them in 16 bits.
    static let maximumSideLength = 32767
    /// Address space for the libraries and fonts that librsvg loads.
    private static let libraryByteCount = 256 << 20

    /// The document's own width, in pixels.
    private(set) var width = 0.0
    /// The document's own height, in pixels.
    private(set) var height = 0.0

    private let processorSeconds: Int
    private let memory: Int
    private var conversation: SVGConversation
    private let pixels: FileDescriptor

    /// Starts the worker and gives it the document.
    /// - Throws: `corrupt` for what isn't an SVG document, `limitExceeded` for one that takes more time or memory than it
    ///   may, `inputOutput` where no such program is at `path`.
    init(
        _ document: [UInt8], path: String, limits: DecodingLimits, processorSeconds: Int
    ) throws(ImageError) {
        self.processorSeconds = processorSeconds
        memory = limits.maximumWorkingByteCount
        let input = try Self.makeMemoryFile("an SVG document")
        // Written within the call.
        try document.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in try input.write(bytes) }
        pixels = try Self.makeMemoryFile("an SVG picture")
        conversation = try SVGConversation.start(
            path,
            // Clamped: without limits there is nothing to add to.
            arguments: ["\(processorSeconds)", "\(min(memory, .max - Self.libraryByteCount) + Self.libraryByteCount)"],
            input: input, output: pixels, seconds: 3 * processorSeconds + 10)
        let words = try answer().split(separator: " ")
        guard words.count == 3, words[0] == "size", let width = Double(words[1]), let height = Double(words[2]) else {
            throw ImageError(.inputOutput, "tessera-svg said something unexpected")
        }
        (self.width, self.height) = (width, height)
    }

    /// Draws a part of the picture. What was drawn before is gone.
    func draw(_ view: SVGView) throws(ImageError) -> SVGPixels {
        let byteCount = 4 * view.size.pixelCount
        guard ftruncate(pixels.number, 0) == 0, ftruncate(pixels.number, off_t(byteCount)) == 0 else {
            throw ImageError(.outOfMemory, "no memory for the \(view.size) pixels of an SVG picture")
        }
        conversation.say(
            "draw \(view.width) \(view.height) \(view.x) \(view.y) \(view.size.width) \(view.size.height)")
        guard try answer() == "done" else {
            throw ImageError(.inputOutput, "tessera-svg said something unexpected")
        }
        return try SVGPixels(pixels, size: view.size)
    }

    /// What the worker says next, if it isn't that it can't.
    private func answer() throws(ImageError) -> String {
        switch try conversation.hear() {
        case .line(let line) where line.hasPrefix("error "):
            throw ImageError(.corrupt, "the SVG document can't be drawn: \(line.dropFirst(6))")
        case .line(let line):
            return line
        case .tookTooLong:
            throw ImageError(.limitExceeded, "the SVG document takes more than \(processorSeconds) s to draw")
        case .ended(let signal):
            throw ImageError(
                .limitExceeded,
                "drawing the SVG document ended with signal \(signal): it takes more than \(memory) bytes, or breaks "
                    + "the renderer")
        }
    }

    /// A file without a name, in memory where the system has such.
    private static func makeMemoryFile(_ name: String) throws(ImageError) -> FileDescriptor {
        do throws(SystemError) {
            return FileDescriptor(try MemoryFile.open(), name: name, isOwned: true)
        } catch {
            throw FileDescriptor.failure(name, .writing, error.code)
        }
    }
}
#endif
