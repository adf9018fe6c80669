internal import CTesseraJPEG
internal import Raster

/// Makes a JPEG smaller without changing its pixels: its coefficients are coded again with optimised tables.
package enum JPEGOptimization {
    /// Returns `file` with the same coefficients in fewer bytes; nil if none are saved.
    ///
    /// Tries progressive scans, and for small images a single scan, which can be smaller.
    /// - Parameter keeping: The metadata to keep: `.all` keeps every segment and the bytes after the image, the others
    ///   only those that affect how pixels are displayed: the orientation and, with `.profile`, the colour profile.
    /// - Throws: `corrupt` or `truncated` for damaged data, `unsupported` for a JPEG that libjpeg can't read, and
    ///   `limitExceeded`.
    package static func smaller(
        _ file: [UInt8], keeping: MetadataPolicy = .all, limits: DecodingLimits = .standard
    ) throws(ImageError) -> [UInt8]? {
        // Markers may be further apart in a file that is walked, but such a file isn't identified.
        guard ImageFormat.jpeg.signatures.contains(where: { file.starts(with: $0) }) else {
            throw ImageError(.corrupt, "not a JPEG file", byteOffset: 0)
        }
        var parts = try JPEGParts(file)
        let transcoder = try JPEGTranscoder(file, limits: limits)
        var coding = tessera_jpeg_transcoding()
        coding.progressive = true
        var coded = try transcoder.run(coding)
        // Each of about ten scans has a header and tables.
        if coded.count < smallByteCount {
            coding.progressive = false
            let single = try transcoder.writeAgain(coding)
            if single.count < coded.count { coded = single }
        }
        if keeping != .all {
            let options = DecodingOptions(color: .asStored, limits: limits)
            let header = try ImageSource.header(of: file, options: options, registry: CodecRegistry([JPEGCodec()]))
            parts.segments = parts.segments.filter { keeping.keeps($0) }
            if header.metadata.orientation != .up {
                let block = EXIF.prefix + EXIF.smallest(header.metadata.orientation)
                parts.segments.insert(JPEGMetadataPayload(marker: 0xE1, bytes: block), at: 0)
            }
        }
        let result = try parts.assembled(around: coded, keepsTrailing: keeping == .all)
        return result.count < file.count ? result : nil
    }

    /// The length up to which a single scan may be smaller than several.
    private static let smallByteCount = 32768
}

extension MetadataPolicy {
    /// Whether a segment is kept. JFIF's and Adobe's say how samples are stored.
    fileprivate func keeps(_ segment: JPEGMetadataPayload) -> Bool {
        switch segment.marker {
        case 0xE0: segment.bytes.starts(with: "JFIF\0".utf8)
        case 0xEE: segment.bytes.starts(with: "Adobe".utf8)
        default: self == .profile && segment.kind == .icc
        }
    }
}
