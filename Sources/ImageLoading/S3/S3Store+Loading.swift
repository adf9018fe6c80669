#if HTTP
internal import Essentials
internal import Raster

extension S3Store: DataLoading {
    /// Loads the object at an `s3` URL, in which the key is percent-encoded. Answers like a server: an object that hasn't
    /// changed since a conditional request gives 304.
    ///
    /// The object's checksum is compared if the store sends one for the whole.
    /// - Throws: `DataLoadingError.unsupportedURL`; `DataLoadingError.status` for an answer with an error;
    ///   `CancellationError`; `S3Failure`.
    public func load(_ request: DataRequest) async throws -> DataDownload {
        guard let address = try? S3Address(request.url), !address.key.isEmpty else {
            throw DataLoadingError.unsupportedURL(request.url.absoluteString)
        }
        var message = S3Request("GET", address)
        for field in request.headers.fields where Self.passedFields.contains(field.name.lowercased()) {
            message.headers.append(field)
        }
        do {
            return try await perform(message) { download in
                var download = download
                download.response.url = request.url
                if download.response.statusCode == 200 {
                    download.body = S3Checksum(download.response).map { $0.checking(download.body) } ?? download.body
                }
                return download
            }
        } catch let failure as S3Failure where failure.status > 0 {
            let headers: HTTPHeaders = ["x-amz-request-id": failure.requestID ?? ""]
            let response = DataResponse(url: request.url, statusCode: failure.status, headers: headers)
            guard [304, 412, 416].contains(failure.status) else { throw failure }
            return DataDownload(response: response, body: DataChunks([UInt8]()))
        }
    }

    /// The header fields of a request that mean something to a store.
    private static let passedFields: Set<String> = [
        "range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range",
    ]
}
#endif
