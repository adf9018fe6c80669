public import Raster

/// An image that an effect uses, such as a mask, and its reference.
///
/// Effects are compared, cached and encoded by the reference alone, so different images must have different references.
/// To decode a recipe that contains references, supply a function that finds the images:
///
/// ```swift
/// let find: EffectPicture.Finder = { name in try image(named: name) }
/// decoder.userInfo[.effectPictures] = find
/// ```
public struct EffectPicture: Sendable {
    /// Returns the image for a reference.
    public typealias Finder = @Sendable (String) throws -> Image

    /// The image's reference: a path, a URL, a name, a hash.
    public var reference: String
    /// The image. A deferred one is decoded when an effect is first applied.
    public var image: Image

    /// An image with a reference.
    public init(_ image: Image, reference: String) {
        self.reference = reference
        self.image = image
    }

    /// The image's pixels, upright.
    func bitmap() throws(ImageError) -> Bitmap { try image.bitmap() }
}

extension EffectPicture: Hashable {
    /// Whether both have the same reference.
    public static func == (a: EffectPicture, b: EffectPicture) -> Bool { a.reference == b.reference }

    /// Hashes the reference.
    public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}

extension EffectPicture: Codable {
    /// Decodes the reference and gets the image from the decoder's `userInfo[.effectPictures]`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let reference = try container.decode(String.self)
        guard let find = decoder.userInfo[.effectPictures] as? Finder else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "no finder is set for the image \"\(reference)\": userInfo[.effectPictures] is no EffectPicture.Finder"
            )
        }
        self.init(try find(reference), reference: reference)
    }

    /// Encodes the reference.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(reference)
    }
}

extension CodingUserInfoKey {
    /// The `EffectPicture.Finder` through which a decoder gets the images that effects refer to.
    public static let effectPictures = CodingUserInfoKey(rawValue: "tessera.effectPictures")!
}
