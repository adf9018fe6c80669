internal import Raster

/// The resources in a JPEG's APP13 segments, of which one is the IPTC block (Adobe Photoshop File Formats, "Image Resource
/// Blocks").
struct PhotoshopResources {
    /// A resource; `head` holds its signature, number and name.
    private struct Resource {
        let number: Int
        let head: [UInt8]
        var data: [UInt8]
    }

    private var resources: [Resource] = []

    /// The bytes before the resources in a segment.
    static let prefix: [UInt8] = Array("Photoshop 3.0".utf8) + [0]
    private static let iptcNumber = 0x0404
    /// A digest of the IPTC block, by which Photoshop sees that another program has changed it.
    private static let digestNumber = 0x0425

    /// No resources.
    init() {}

    /// Reads the resources in `bytes`, after the prefix.
    /// - Throws: `corrupt` with the offset.
    init(_ bytes: [UInt8]) throws(ImageError) {
        var position = 0
        // Some writers pad the last resource, and some don't.
        while position + 4 <= bytes.count {
            let start = position
            guard let number = bytes.bigEndian(at: position + 4, byteCount: 2), position + 6 < bytes.count,
                bytes[position..<(position + 4)].elementsEqual("8BIM".utf8)
            else { throw ImageError(.corrupt, "no Photoshop resource begins here", byteOffset: start) }
            // The name's length, the name, and padding to an even length.
            let nameEnd = position + 6 + (Int(bytes[position + 6]) + 2) / 2 * 2
            guard let length = bytes.bigEndian(at: nameEnd, byteCount: 4), length <= bytes.count - nameEnd - 4 else {
                throw ImageError(.corrupt, "a Photoshop resource ends beyond its segment", byteOffset: start)
            }
            resources.append(
                Resource(
                    number: number, head: Array(bytes[position..<nameEnd]),
                    data: Array(bytes[(nameEnd + 4)..<(nameEnd + 4 + length)])))
            position = nameEnd + 4 + (length + 1) / 2 * 2
        }
    }

    /// Returns the data of the first resource of this number; nil if there is none.
    func data(_ number: Int) -> [UInt8]? { resources.first { $0.number == number }?.data }

    /// The IPTC block; nil removes it. The digest of the block before is removed.
    var iptc: [UInt8]? {
        get { resources.first { $0.number == Self.iptcNumber }?.data }
        set {
            resources.removeAll { $0.number == Self.iptcNumber || $0.number == Self.digestNumber }
            if let newValue {
                let head = Array("8BIM".utf8) + Self.iptcNumber.bigEndianBytes(2) + [0, 0]
                resources.append(Resource(number: Self.iptcNumber, head: head, data: newValue))
            }
        }
    }

    /// The contents of the segments that hold the resources; none without resources.
    var segments: [[UInt8]] {
        var bytes: [UInt8] = []
        for resource in resources {
            bytes += resource.head + resource.data.count.bigEndianBytes(4) + resource.data
            if resource.data.count % 2 == 1 { bytes.append(0) }
        }
        let most = JPEGMetadataSegment.maximumByteCount - Self.prefix.count
        return stride(from: 0, to: bytes.count, by: most).map { start in
            Self.prefix + Array(bytes[start..<min(bytes.count, start + most)])
        }
    }
}
