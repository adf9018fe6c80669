internal import JPEGBitstream
internal import JPNGContainer

/// An error as the page gets it: a code for programs, a message for people, and the byte offset.
struct WebError: Error {
    let code: String
    let message: String
    let offset: Int

    init(_ code: String, _ message: String, offset: Int = 0) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    init(_ error: JPEGBitstreamError) {
        self.init(error.code.description, error.message, offset: error.offset)
    }

    init(_ error: JPNGError) {
        self.init("invalidJPNG", error.message, offset: Int(clamping: error.offset ?? 0))
    }

    /// Why a JPEG can't be tiled.
    init(_ obstacle: JPEGTileObstacle) {
        if case .damagedHeader(let error) = obstacle {
            self.init(error)
        } else {
            self.init("unsupported", obstacle.description)
        }
    }

    /// Lines of the code, the offset and the message.
    var lines: [UInt8] { Array("\(code)\n\(offset)\n\(message)".utf8) }
}
