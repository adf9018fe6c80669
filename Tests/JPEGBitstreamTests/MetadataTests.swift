import Testing

import JPEGBitstream

@Suite("Application segments")
struct MetadataTests {
    private func metadata(_ steps: (inout JPEGBuilder) -> Void) -> (JPEGMetadata, [UInt8]) {
        let bytes = JPEGBuilder.image(steps)
        return (JPEGMetadata(of: bytes.span.bytes), bytes)
    }

    @Test("The first EXIF and XMP segments are found by their headers")
    func exifAndXMP() {
        let (metadata, bytes) = metadata {
            $0.segment(0xE1, Array("Exif\0".utf8))
            $0.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
            $0.segment(0xE1, Array("Exif\0\0MM".utf8))
            $0.segment(0xE1, Array("Exif\0\0II".utf8))
            $0.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<y/>".utf8))
        }
        #expect(metadata.exif.map { Array(bytes[$0]) } == Array("MM".utf8))
        #expect(metadata.xmp.map { Array(bytes[$0]) } == Array("<x/>".utf8))
        #expect(metadata.jfif == nil)
        #expect(metadata.adobeTransform == nil)
    }

    @Test("JFIF has its version and density")
    func jfif() {
        let (metadata, _) = metadata {
            $0.segment(0xE0, Array("JFXX\0".utf8) + [0x10, 0, 0, 0, 0, 0, 0])
            $0.segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 1, 1, 44, 0, 72, 0, 0])
            $0.segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 1])
        }
        #expect(metadata.jfif?.majorVersion == 1)
        #expect(metadata.jfif?.minorVersion == 2)
        #expect(metadata.jfif?.densityUnit == 1)
        #expect(metadata.jfif?.horizontalDensity == 300)
        #expect(metadata.jfif?.verticalDensity == 72)
    }

    @Test(
        "Adobe's transform is its last byte",
        arguments: [
            (UInt8(0), JPEGMetadata.AdobeTransform.none), (1, .yCbCr), (2, .ycck), (9, .init(rawValue: 9)),
        ] as [(UInt8, JPEGMetadata.AdobeTransform)])
    func adobe(byte: UInt8, transform: JPEGMetadata.AdobeTransform) {
        let (metadata, _) = metadata {
            $0.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, byte])
            $0.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0])
        }
        #expect(metadata.adobeTransform == transform)
    }

    @Test("Segments after the first scan's header, and those beyond the data, are ignored")
    func afterScan() {
        let bytes = JPEGBuilder.image {
            $0.segment(0xE1, Array("Exif\0\0MM".utf8))
            $0.frame()
            $0.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
            $0.scan()
            $0.segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 1, 1, 44, 0, 72, 0, 0])
        }
        let structure = JPEGStructure(of: bytes.span.bytes)
        let whole = JPEGMetadata(structure, in: bytes.span.bytes)
        #expect(whole.adobeTransform == .yCbCr)
        #expect(whole.jfif == nil)
        let start = JPEGMetadata(structure, in: Array(bytes.prefix(20)).span.bytes)
        #expect(start.exif != nil)
        #expect(start.adobeTransform == nil)
    }

    private static func chunk(_ number: UInt8, _ count: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        Array("ICC_PROFILE\0".utf8) + [number, count] + bytes
    }

    @Test("An ICC profile is joined in the order of its pieces' numbers")
    func profile() {
        let (metadata, bytes) = metadata {
            $0.segment(0xE2, Self.chunk(3, 3, [5]))
            $0.segment(0xE2, Array("MPF\0".utf8))
            $0.segment(0xE2, Self.chunk(1, 3, [1, 2]))
            $0.segment(0xE2, Self.chunk(2, 3, []))
        }
        #expect(metadata.iccFailure == nil)
        #expect(metadata.iccProfile(in: bytes.span.bytes) == [1, 2, 5])
        let cut = Array(bytes.prefix(8))
        #expect(metadata.iccProfile(in: cut.span.bytes) == nil)
    }

    @Test("An ICC profile has at most 255 pieces")
    func manyPieces() {
        let (metadata, bytes) = metadata { builder in
            for number in (1...255 as ClosedRange<UInt8>).reversed() {
                builder.segment(0xE2, Self.chunk(number, 255, [number]))
            }
        }
        #expect(metadata.iccProfile(in: bytes.span.bytes) == Array(1...255))
    }

    @Test("A missing profile is no error")
    func noProfile() {
        let (metadata, bytes) = metadata { $0.segment(0xE2, Array("ICC_PROFILE".utf8)) }
        #expect(metadata.iccProfile(in: bytes.span.bytes) == nil)
        #expect(metadata.iccFailure == nil)
    }

    @Test(
        "Invalid pieces are refused with the reason",
        arguments: [
            ([chunk(1, 2, [1]), chunk(2, 3, [2])], JPEGMetadata.ICCFailure.countMismatch(2, 3)),
            ([chunk(1, 2, [1]), chunk(1, 2, [2])], .duplicate(1)),
            ([chunk(1, 3, [1]), chunk(3, 3, [2])], .missing(2)),
            ([chunk(0, 1, [1])], .invalidNumber(0, count: 1)),
            ([chunk(2, 1, [1])], .invalidNumber(2, count: 1)),
            ([chunk(1, 0, [1])], .invalidNumber(1, count: 0)),
            ([chunk(0, 0, [1])], .invalidNumber(0, count: 0)),
            ([Array("ICC_PROFILE\0".utf8)], .truncatedChunk),
            ([Array("ICC_PROFILE\0".utf8) + [1]], .truncatedChunk),
            ([chunk(1, 1, [1]), Array("ICC_PROFILE\0".utf8)], .truncatedChunk),
        ] as [([[UInt8]], JPEGMetadata.ICCFailure)])
    func refusedProfile(segments: [[UInt8]], failure: JPEGMetadata.ICCFailure) {
        let (metadata, bytes) = metadata { builder in
            for segment in segments { builder.segment(0xE2, segment) }
        }
        #expect(metadata.iccFailure == failure)
        #expect(metadata.iccChunks.isEmpty)
        #expect(metadata.iccProfile(in: bytes.span.bytes) == nil)
        #expect(!failure.description.isEmpty)
    }
}
