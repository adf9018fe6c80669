public import Essentials
public import ImageFormats
public import Raster

/// A decoded picture with what its decoder attached.
public struct ImageContainer: Sendable {
    private struct Fields: Sendable {
        var image: Image
        var type: ImageFormat?
        var isPreview: Bool
        var data: Data?
        var header: ImageHeader?
        var animation: ImageAnimation?
        var userInfo: [UserInfoKey: any Sendable]
        var cacheMetadata: DataCacheMetadata?
        var isPlaceholder = false
        var deferred: DeferredPicture?
    }

    /// Containers are copied at every hit in the memory cache.
    private var fields: CopiedOnWrite<Fields>

    /// The picture. Of an animation the first frame, of what isn't decoded a transparent pixel.
    public var image: Image {
        get { fields.image }
        set { fields.image = newValue }
    }
    /// What format it came in, where that is known.
    public var type: ImageFormat? {
        get { fields.type }
        set { fields.type = newValue }
    }
    /// Whether a better picture is going to follow.
    public var isPreview: Bool {
        get { fields.isPreview }
        set { fields.isPreview = newValue }
    }
    /// The encoded bytes, attached to animations and to what isn't decoded here. Nil once pixels have been changed.
    public var data: Data? {
        get { fields.data }
        set { fields.data = newValue }
    }
    /// What the file says of the picture; nil for what isn't decoded here.
    public var header: ImageHeader? {
        get { fields.header }
        set { fields.header = newValue }
    }
    /// The animation whose first frame `image` is; nil for a still.
    public var animation: ImageAnimation? {
        get { fields.animation }
        set { fields.animation = newValue }
    }
    /// Anything else that decoders and processors have to say.
    public var userInfo: [UserInfoKey: any Sendable] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }

    /// What is needed to ask the server whether the picture has changed.
    package var cacheMetadata: DataCacheMetadata? {
        get { fields.cacheMetadata }
        set { fields.cacheMetadata = newValue }
    }
    /// Whether `image` only stands for `data`, which isn't decoded here: processors leave both as they are.
    package var isPlaceholder: Bool {
        get { fields.isPlaceholder }
        set { fields.isPlaceholder = newValue }
    }

    /// What `image` is decoded from when its pixels are asked for; nil for what is decoded, and for other decoders'.
    var deferred: DeferredPicture? {
        get { fields.deferred }
        set { fields.deferred = newValue }
    }

    /// A container of these.
    public init(
        image: Image, type: ImageFormat? = nil, isPreview: Bool = false, data: Data? = nil, header: ImageHeader? = nil,
        animation: ImageAnimation? = nil, userInfo: [UserInfoKey: any Sendable] = [:]
    ) {
        fields = CopiedOnWrite(
            Fields(
                image: image, type: type, isPreview: isPreview, data: data, header: header, animation: animation,
                userInfo: userInfo))
    }

    /// Orientation, EXIF and the like; nil where nothing is known.
    public var metadata: ImageMetadata? { header?.metadata }
}

extension ImageContainer {
    /// The name of something in `userInfo`.
    public struct UserInfoKey: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String
        /// A key called `rawValue`.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// A key called `value`.
        public init(stringLiteral value: String) { rawValue = value }

        /// An `Int`: how many scans of a progressive picture a preview shows.
        public static let scanNumberKey: UserInfoKey = "tessera.scanNumber"
    }
}

/// Fields behind one reference: to copy them takes no more than to copy an object, however many there are. Who changes one
/// gets fields of their own.
@dynamicMemberLookup
struct CopiedOnWrite<Fields: Sendable>: Sendable {
    /// Never changed, so that threads can share it.
    private final class Box: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var box: Box

    init(_ fields: Fields) { box = Box(fields) }

    subscript<Value>(dynamicMember path: WritableKeyPath<Fields, Value>) -> Value {
        @inline(__always) get { box.fields[keyPath: path] }
        @inline(__always) set {
            var fields = box.fields
            fields[keyPath: path] = newValue
            box = Box(fields)
        }
    }
}
