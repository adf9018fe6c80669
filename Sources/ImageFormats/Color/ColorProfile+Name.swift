internal import CTesseraLibLCMS
package import Raster

extension ColorProfile {
    /// The profile's name for people: an ICC profile's description in English, such as "Display P3"; nil if it has none or is
    /// invalid.
    package var name: String? {
        switch self {
        case .sRGB: return "sRGB"
        case .calibrated(let gamma, _): return "gamma \((100 / gamma).rounded() / 100)"
        case .icc(let bytes):
            guard let profile = ICCProfile(bytes) else { return nil }
            var text = [CChar](repeating: 0, count: 256)
            let count = text.withUnsafeMutableBufferPointer { text in
                // lcms2 writes at most the count, with a zero at its end.
                cmsGetProfileInfoASCII(
                    profile.handle, cmsInfoDescription, "en", "US", text.baseAddress, cmsUInt32Number(text.count))
            }
            guard count > 1 else { return nil }
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let printable = bytes.filter { (0x20...0x7E).contains($0) }
            return printable.isEmpty ? nil : String(decoding: printable, as: UTF8.self)
        }
    }
}
