/// ICC profiles written byte by byte after ICC.1:2010, so that none has to be kept as a file.
package enum TestProfiles {
    /// RGB with the primaries of Adobe RGB (1998), adapted to D50, and a gamma of 2.
    package static let wideRGB = rgb(
        red: [0.60974, 0.31111, 0.01947], green: [0.20528, 0.62567, 0.06087], blue: [0.14919, 0.06322, 0.74457],
        gamma: 2)
    /// RGB with sRGB's primaries, adapted to D50, and its tone curve as a parametric curve.
    package static let sRGB = rgb(
        red: [0.43607, 0.22249, 0.01392], green: [0.38515, 0.71687, 0.09708], blue: [0.14307, 0.06061, 0.7141],
        curve: text("para") + [0, 0, 0, 0, 0, 3, 0, 0]
            + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed))
    /// Grey whose values are light.
    package static let linearGray = profile(
        space: "GRAY", connection: "XYZ ",
        tags: [("wtpt", xyz([0.9642, 1, 0.8249])), ("kTRC", text("curv") + [0, 0, 0, 0, 0, 0, 0, 0])])
    /// Inks of four corners each: paper is white, every ink takes lightness, black all of it, cyan goes to blue and so on.
    package static let cmyk = profile(
        space: "CMYK", connection: "Lab ", deviceClass: "prtr",
        tags: [("wtpt", xyz([0.9642, 1, 0.8249])), ("A2B0", inkTable)])

    /// RGB of three primaries in XYZ under D50 and a gamma.
    package static func rgb(red: [Double], green: [Double], blue: [Double], gamma: Double) -> [UInt8] {
        let encoded = Int(gamma * 256)
        return rgb(
            red: red, green: green, blue: blue,
            curve: text("curv") + [0, 0, 0, 0, 0, 0, 0, 1, UInt8(encoded >> 8), UInt8(encoded & 255)])
    }

    private static func rgb(red: [Double], green: [Double], blue: [Double], curve: [UInt8]) -> [UInt8] {
        profile(
            space: "RGB ", connection: "XYZ ",
            tags: [
                ("wtpt", xyz([0.9642, 1, 0.8249])), ("rXYZ", xyz(red)), ("gXYZ", xyz(green)), ("bXYZ", xyz(blue)),
                ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
            ])
    }

    /// A profile of these tags; `deviceClass` is a display's unless said otherwise.
    package static func profile(
        space: String, connection: String, deviceClass: String = "mntr", tags: [(String, [UInt8])]
    ) -> [UInt8] {
        var directory = number(tags.count)
        var data: [UInt8] = []
        let start = 128 + 4 + 12 * tags.count
        for (name, bytes) in tags {
            directory += text(name) + number(start + data.count) + number(bytes.count)
            data += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
        var header = number(start + data.count) + number(0) + [4, 0x20, 0, 0] + text(deviceClass) + text(space)
        header += text(connection) + [UInt8](repeating: 0, count: 12) + text("acsp")
        header += [UInt8](repeating: 0, count: 28) + [0.9642, 1, 0.8249].flatMap(fixed)
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return header + directory + data
    }

    private static let inkTable: [UInt8] = {
        var table = text("mft1") + [0, 0, 0, 0, 4, 3, 2, 0]
        table += [1.0, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
        let ramp = (0...255).map { UInt8($0) }
        for _ in 0..<4 { table += ramp }
        for corner in 0..<16 {
            let (cyan, magenta, yellow, black) = (corner & 8, corner & 4, corner & 2, corner & 1)
            guard black == 0 else {
                table += [0, 128, 128]
                continue
            }
            let light = 255 - (cyan > 0 ? 90 : 0) - (magenta > 0 ? 100 : 0) - (yellow > 0 ? 20 : 0)
            table += [
                UInt8(light), UInt8(128 - (cyan > 0 ? 30 : 0) + (magenta > 0 ? 60 : 0)),
                UInt8(128 - (cyan > 0 ? 40 : 0) + (yellow > 0 ? 80 : 0)),
            ]
        }
        for _ in 0..<3 { table += ramp }
        return table
    }()

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func number(_ value: Int) -> [UInt8] {
        [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    private static func fixed(_ value: Double) -> [UInt8] { number(Int((value * 65536).rounded()) & 0xFFFF_FFFF) }

    private static func xyz(_ value: [Double]) -> [UInt8] { text("XYZ ") + number(0) + value.flatMap(fixed) }
}
