#if HTTP
import Hummingbird
import HTTPTypes
import ImageLoading

/// A request as the server got it.
struct TestRequest: Sendable {
    let method: String
    /// The path with the query; of `CONNECT` the authority.
    let path: String
    let headers: HTTPHeaders

    init(_ request: Request) {
        method = request.method.rawValue
        path = request.head.path ?? request.head.authority ?? ""
        var headers = HTTPHeaders()
        for field in request.headers { headers.add(field.name.rawName, field.value) }
        self.headers = headers
    }
}
#endif
