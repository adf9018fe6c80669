package import Raster

extension Bitmap {
    /// Red, green, blue and alpha of each pixel at sixteen bits, whatever the format, by the plain definitions.
    package var samples16: [UInt16] {
        var result: [UInt16] = []
        result.reserveCapacity(4 * width * height)
        for y in 0..<height {
            switch format {
            case .gray8:
                let row = rows.row(y, as: Gray8.self)
                for x in 0..<width {
                    let value = UInt16(row[x].value) * 257
                    result += [value, value, value, 65535]
                }
            case .gray16:
                let row = rows.row(y, as: Gray16.self)
                for x in 0..<width { result += [row[x].value, row[x].value, row[x].value, 65535] }
            case .rgba8:
                let row = rows.row(y, as: RGBA8.self)
                for x in 0..<width {
                    result.append(UInt16(row[x].red) * 257)
                    result.append(UInt16(row[x].green) * 257)
                    result.append(UInt16(row[x].blue) * 257)
                    result.append(UInt16(row[x].alpha) * 257)
                }
            case .rgba16:
                let row = rows.row(y, as: RGBA16.self)
                for x in 0..<width { result += [row[x].red, row[x].green, row[x].blue, row[x].alpha] }
            }
        }
        return result
    }

    /// Each pixel of a format of eight bits, row after row; grey ones with their value in each channel.
    package var pixels: [RGBA8] {
        var result: [RGBA8] = []
        result.reserveCapacity(width * height)
        for y in 0..<height {
            if format == .gray8 {
                let row = rows.row(y, as: Gray8.self)
                for x in 0..<width { result.append(RGBA8(row[x].value, row[x].value, row[x].value)) }
            } else {
                let row = rows.row(y, as: RGBA8.self)
                for x in 0..<width { result.append(row[x]) }
            }
        }
        return result
    }

    /// The samples as stored, of eight bits or sixteen.
    package var storedSamples: [UInt16] {
        let bytes = tightBytes()
        guard format.bitsPerChannel == 16 else { return bytes.map { UInt16($0) } }
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
    }

    /// The samples of eight bits as PNM has them: grey, or red, green and blue.
    package var pnmSamples: [UInt8] {
        let bytes = tightBytes()
        return format.isGray ? bytes : bytes.indices.filter { $0 % 4 != 3 }.map { bytes[$0] }
    }
}

extension [UInt16] {
    /// Samples of sixteen bits at eight, rounded to the nearest.
    package var atEightBits: [UInt16] { map { sample -> UInt16 in UInt16((Int(sample) * 255 + 32767) / 65535) } }
}
