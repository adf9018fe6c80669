import JPEGBitstream

/// Puts a JPEG together marker by marker, whether or not it makes sense.
struct JPEGBuilder {
    private(set) var bytes: [UInt8] = []

    mutating func marker(_ code: UInt8) { bytes += [0xFF, code] }

    mutating func segment(_ code: UInt8, _ payload: [UInt8]) {
        let length = payload.count + 2
        bytes += [0xFF, code, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    mutating func raw(_ bytes: [UInt8]) { self.bytes += bytes }

    mutating func frame(
        _ code: UInt8 = 0xC0, precision: UInt8 = 8, width: Int = 16, height: Int = 8,
        components: [(UInt8, UInt8, UInt8)] = [(1, 0x22, 0), (2, 0x11, 1), (3, 0x11, 1)]
    ) {
        let size = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        segment(code, [precision] + size + [UInt8(components.count)] + components.flatMap { [$0.0, $0.1, $0.2] })
    }

    mutating func scan(
        _ components: [(UInt8, UInt8)] = [(1, 0x00), (2, 0x11), (3, 0x11)], from start: UInt8 = 0, to end: UInt8 = 63,
        approximation: UInt8 = 0, data: [UInt8] = [0x12, 0x34]
    ) {
        segment(
            0xDA,
            [UInt8(components.count)] + components.flatMap { [$0.0, $0.1] } + [start, end, approximation])
        raw(data)
    }

    /// The bytes that the given steps make.
    static func bytes(_ steps: (inout JPEGBuilder) -> Void) -> [UInt8] {
        var builder = JPEGBuilder()
        steps(&builder)
        return builder.bytes
    }

    /// A whole JPEG: SOI, the given steps, EOI.
    static func image(_ steps: (inout JPEGBuilder) -> Void) -> [UInt8] {
        bytes {
            $0.marker(0xD8)
            steps(&$0)
            $0.marker(0xD9)
        }
    }
}

/// A progressive JPEG with everything that a walk must tell apart, thumbnails and trailing bytes among it.
let intricateJPEG: [UInt8] = {
    let thumbnail = JPEGBuilder.image {
        $0.frame(width: 4, height: 4)
        $0.scan()
    }
    return JPEGBuilder.image {
        $0.segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 96, 0, 0])
        $0.segment(0xE1, Array("Exif\0\0".utf8) + thumbnail)
        $0.raw([0xFF, 0xFF, 0xFF])
        $0.segment(0xED, thumbnail + thumbnail)
        $0.segment(0xDB, [UInt8](repeating: 1, count: 65))
        $0.segment(0xDD, [0, 5])
        $0.frame(0xC2, width: 300, height: 200)
        $0.segment(0xFE, [])
        $0.scan(
            to: 0, approximation: 0x01, data: [1, 0xFF, 0, 0xDA, 0xFF, 0xD0, 2, 0xFF, 0xFF, 0xD1, 3, 0xFF, 0xFF, 0])
        $0.segment(0xC4, [0xFF, 0xD9, 0xFF, 0xDA])
        $0.segment(0xDD, [0, 0])
        $0.scan([(1, 0x00)], from: 1, data: [0xFF, 0, 0xFF, 0x01, 0xFF, 0xBF, 9, 0xFF, 0xFF])
        $0.scan([(2, 0x11)], from: 1, approximation: 0x10, data: [])
        $0.raw([7, 7, 0xFF, 0])
        $0.segment(0xFE, [0xFF])
        $0.raw([8, 0xFF, 0, 8])
    } + thumbnail
}()
