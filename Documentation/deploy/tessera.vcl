vcl 4.1;

# Varnish before `tessera serve`, or before the balancer of its replicas.
#
#   varnishd -C -f "$PWD/tessera.vcl"      checks it
#   varnishd -F -a :8000 -f "$PWD/tessera.vcl" -s malloc,4G

backend tessera {
    .host = "127.0.0.1";
    .port = "8080";
    .first_byte_timeout = 45s;
    .probe = {
        .url = "/healthz";
        .interval = 1s;
        .timeout = 1s;
        .window = 3;
        .threshold = 2;
    }
}

sub vcl_recv {
    # The server answers no other methods, and OPTIONS isn't cached.
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Files as they are, with ranges, and what is of one server alone.
    if (req.url ~ "^/(original/|metrics|readyz|healthz)") {
        return (pass);
    }
    # Pages of a signed session are private; anyone else's cookies mean nothing to the server.
    if (req.http.Cookie !~ "tessera") {
        unset req.http.Cookie;
    }
    # ?format=auto depends on which formats a browser takes, not on how it says so: a few variants instead of hundreds.
    if (req.url ~ "^/image/" && req.http.Accept) {
        set req.http.X-Formats = "";
        if (req.http.Accept ~ "image/jxl") {
            set req.http.X-Formats = req.http.X-Formats + "image/jxl,";
        }
        if (req.http.Accept ~ "image/avif") {
            set req.http.X-Formats = req.http.X-Formats + "image/avif,";
        }
        if (req.http.Accept ~ "image/webp") {
            set req.http.X-Formats = req.http.X-Formats + "image/webp,";
        }
        set req.http.Accept = req.http.X-Formats + "*/*";
        unset req.http.X-Formats;
    }
    # The order of a query's members is that of the effects: it isn't sorted.
}

sub vcl_backend_response {
    # An old image is better than none while the server is away, and while a new one is made.
    if (beresp.status == 200) {
        set beresp.grace = 6h;
    }
    # Refusals are of the moment.
    if (beresp.status >= 500) {
        set beresp.uncacheable = true;
        set beresp.ttl = 1s;
    }
}

sub vcl_deliver {
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
}
