internal import Raster

/// Makes a GIF file smaller without changing what it shows.
package enum GIFOptimization {
    /// Returns `file` with the same frames and times in fewer bytes; nil if none are saved.
    ///
    /// Drops unused and repeated colours, shares palettes, leaves out pixels that a frame has from those before it, and
    /// codes the rest in several ways. An interlaced image isn't afterwards.
    /// - Parameter keeping: The metadata to keep: `.all` keeps every extension, the others only the number of plays and, with
    ///   `.profile`, the colour profile.
    /// - Throws: `corrupt` or `truncated` for damaged files; `unsupported` for text and for images outside the screen, which
    ///   programs show in different ways; `limitExceeded`.
    package static func smaller(
        _ file: [UInt8], keeping: MetadataPolicy = .all, limits: DecodingLimits = .standard
    ) throws(ImageError) -> [UInt8]? {
        let list = try GIFBlockList(file, limits: limits)
        try limits.check(list.screen, format: .gif)
        // The canvas twice, and an image's colours, indices and codes.
        try limits.checkWorkingMemory(24 * list.screen.pixelCount, for: "optimizing the GIF image")
        let coder = try GIFRecoder(list)

        let depth = coder.global.map { $0.bitDepth - 1 } ?? 0
        var result = Array("GIF89a".utf8) + file[6..<10]
        // The colour resolution stays; colours aren't sorted.
        result.append(file[10] & 0x70 | (coder.global == nil ? 0 : 0x80 | UInt8(depth)))
        result += [coder.backgroundIndex, file[12]]
        if let global = coder.global { result += global.bytes }
        var canvas = GIFCanvas(list.screen)
        var index = 0
        for block in list.blocks {
            switch block {
            case .other(let label, let range):
                if keeps(label, file[range], keeping) { result += file[range] }
            case .image(let frame, let packed):
                let change = try coder.change(frame, index, on: &canvas)
                result += coder.image(change, of: frame, packed: packed)
                index += 1
            }
        }
        result.append(0x3B)
        if keeping == .all { result += file[list.trailing] }
        return result.count < file.count ? result : nil
    }

    private static func keeps(_ label: UInt8, _ block: ArraySlice<UInt8>, _ keeping: MetadataPolicy) -> Bool {
        guard keeping != .all else { return true }
        // Introducer, label and length precede an application's name.
        guard label == 0xFF else { return false }
        switch String(decoding: block.dropFirst(3).prefix(11), as: UTF8.self) {
        case "NETSCAPE2.0", "ANIMEXTS1.0": return true
        case "ICCRGBG1012": return keeping == .profile
        default: return false
        }
    }
}
