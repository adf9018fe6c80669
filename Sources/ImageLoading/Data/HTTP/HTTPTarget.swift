#if HTTP
internal import AsyncHTTPClient
internal import Essentials
internal import ImageFormats
internal import NIOCore
internal import NIOHTTP1

/// Writes the targets of requests that async-http-client loses: for a path that isn't UTF-8 once decoded, such as `/a%FF.png`, it
/// requests `/`.
///
/// The target travels in a header field to a handler that is the last before the request is encoded. HTTP/2 has no such place, so
/// these requests are HTTP/1.1.
enum HTTPTarget {
    private static let field = "Tessera-Target"

    /// Whether async-http-client requests `/` instead of the path of `url`.
    static func isLost(of url: URL) -> Bool {
        let path = url.path(percentEncoded: true)
        return path.utf8.contains(UInt8(ascii: "%")) && PercentEncoding.decoded(path) == nil
    }

    /// Makes new connections write targets.
    static func write(by settings: inout HTTPClient.Configuration) {
        settings.httpVersion = .http1Only
        settings.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
                try pipeline.addHandler(Handler(), position: .after(encoder))
            }
        }
    }

    /// Adds the target of `url` to a request's fields.
    static func set(_ url: URL, _ headers: inout NIOHTTP1.HTTPHeaders) {
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        headers.replaceOrAdd(name: field, value: url.path(percentEncoded: true) + query)
    }

    private final class Handler: ChannelOutboundHandler {
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard case .head(var head) = unwrapOutboundIn(data), let target = head.headers.first(name: HTTPTarget.field)
            else { return context.write(data, promise: promise) }
            head.uri = target
            head.headers.remove(name: HTTPTarget.field)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        }
    }
}
#endif
