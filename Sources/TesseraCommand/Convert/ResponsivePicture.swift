internal import ImageFormats
internal import Tessera

/// The outputs of an image in several sizes and formats, as HTML from which a browser chooses.
struct ResponsivePicture {
    private let entries: [ConversionList.Entry]

    /// Returns the pictures of a list, those whose outputs existed already included, in the order of the inputs.
    static func all(in list: ConversionList) -> [ResponsivePicture] {
        var order: [InputLocation] = []
        var outputs: [InputLocation: [ConversionList.Entry]] = [:]
        for entry in list.entries + list.skipped where entry.variant != nil {
            if outputs[entry.input] == nil { order.append(entry.input) }
            outputs[entry.input, default: []].append(entry)
        }
        return order.compactMap { outputs[$0].map(ResponsivePicture.init) }
    }

    /// An `img` element; in a `picture` with a `source` for each further format if there are several. Formats are offered in
    /// the order of `--to`, the last to browsers that know none of the others.
    var html: String {
        var formats: [ImageFormat] = []
        for entry in entries where !formats.contains(entry.format) { formats.append(entry.format) }
        guard let last = formats.last, let largest = outputs(in: last).last, let size = largest.variant?.size else {
            return ""
        }
        let image =
            #"<img src="\#(address(of: largest))" srcset="\#(sourceSet(in: last))" sizes="100vw" "#
            + #"width="\#(size.width)" height="\#(size.height)" alt="">"#
        guard formats.count > 1 else { return image }
        let sources = formats.dropLast().map { format in
            #"  <source type="\#(format.mimeTypes[0])" srcset="\#(sourceSet(in: format))" sizes="100vw">"#
        }
        return (["<picture>"] + sources + ["  " + image, "</picture>"]).joined(separator: "\n")
    }

    /// The outputs in a format, the narrowest first.
    private func outputs(in format: ImageFormat) -> [ConversionList.Entry] {
        entries.filter { $0.format == format }.sorted { ($0.variant?.size.width ?? 0) < ($1.variant?.size.width ?? 0) }
    }

    private func sourceSet(in format: ImageFormat) -> String {
        outputs(in: format).map { "\(address(of: $0)) \($0.variant?.size.width ?? 0)w" }.joined(separator: ", ")
    }

    /// The output's path as a relative address.
    private func address(of entry: ConversionList.Entry) -> String {
        PercentEncoding.encoded("\(entry.output)", keeping: "/")
    }
}
