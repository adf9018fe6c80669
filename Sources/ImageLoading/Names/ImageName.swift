internal import ImageFormats
internal import Raster

/// The parsed name of an image: `icons/star@2x~ipad.png`.
struct ImageName {
    /// Folders, if any, and the name without extension, scale and device.
    private let stem: String
    /// The scale in the name; nil if it has none.
    private var scale: Int?
    /// The device in the name, with its tilde; empty if it has none.
    private let device: String
    /// The extension in the name, if it is one of an image format.
    private let filenameExtension: String?

    /// Parses `name`; `registry` decides which extensions count.
    /// - Throws: `invalidParameter` for an invalid name, or one that leaves the folder.
    init(_ name: String, registry: CodecRegistry) throws(ImageError) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.utf8.contains(0), parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
            throw ImageError(.invalidParameter, "\"\(name)\" is not the name of an image within a folder")
        }
        var rest = Substring(name)
        let start = parts.last?.startIndex ?? name.startIndex
        var filenameExtension: String?
        if let dot = rest[start...].lastIndex(of: "."), dot > start {
            let ending = String(rest[rest.index(after: dot)...])
            if registry.format(forFilenameExtension: ending) != nil {
                filenameExtension = ending
                rest = rest[..<dot]
            }
        }
        self.filenameExtension = filenameExtension
        var device = ""
        if let tilde = rest[start...].lastIndex(of: "~"), tilde > start {
            device = String(rest[tilde...])
            rest = rest[..<tilde]
        }
        self.device = device
        var scale: Int?
        if let at = rest[start...].lastIndex(of: "@"), at > start, rest.last == "x",
            let value = Int(rest[rest.index(after: at)...].dropLast()), (1...9).contains(value)
        {
            scale = value
            rest = rest[..<at]
        }
        self.scale = scale
        stem = String(rest)
    }

    var unscaled: ImageName {
        var name = self
        name.scale = nil
        return name
    }

    /// The possible file names, the best first, each with its scale.
    /// - Parameters:
    ///   - scale: The display's scale.
    ///   - device: The suffix of files for this device, such as `ipad`; nil for none.
    ///   - extensions: The extensions to try if the name has none.
    func candidates(
        scale display: Double, device own: String?, extensions: [String]
    ) -> [(path: String, scale: Int)] {
        let extensions = filenameExtension.map { [$0] } ?? extensions
        let devices = device.isEmpty ? (own.map { ["~" + $0] } ?? []) + [""] : [device]
        var candidates: [(path: String, scale: Int)] = []
        for scale in scale.map({ [$0] }) ?? Self.scales(for: display) {
            // An explicit @1x is kept.
            let suffix = scale == 1 && self.scale == nil ? "" : "@\(scale)x"
            for device in devices {
                for ending in extensions { candidates.append(("\(stem)\(suffix)\(device).\(ending)", scale)) }
            }
        }
        return candidates
    }

    /// The scales to try: the display's, then larger ones, the nearest first, then smaller ones, the largest first.
    private static func scales(for display: Double) -> [Int] {
        let all = [1, 2, 3]
        return all.filter { Double($0) >= display } + all.reversed().filter { Double($0) < display }
    }
}
