using System.Globalization;
using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>One request of a generated application.</summary>
/// <param name="Text">Its bytes as Latin 1, with <see cref="TagPlaceholder"/> for the entity tag that the path was last answered with.</param>
/// <param name="Path">Where it aims, for the tag.</param>
/// <param name="IsHead">Whether its answer has no body.</param>
/// <param name="IsLast">Whether the server may end the connection after it.</param>
/// <param name="IsOfFile">Whether it aims at the path of a file as it is.</param>
internal sealed record ApplicationRequest(string Text, string Path, bool IsHead, bool IsLast, bool IsOfFile)
{
    internal const string TagPlaceholder = "{tag}";

    private static readonly string[] s_methods = ["POST", "POST", "OPTIONS", "PUT", "DELETE", "PURGE", "get", "TRACE", "PATCH"];

    private static readonly string[] s_hosts =
    [
        "example.com", "admin.example.com", "admin.example.com", "a.example.com:8080", "EXAMPLE.COM", "example.com:80", "[::1]", "[::1]:8080",
        "localhost:8080", "127.0.0.1:5000", "other.org", "ADMIN.example.com", "xn--bcher-kva.example.com",
    ];

    private static readonly string[] s_oddHosts =
        ["h:h", ":80", "", "[::1", "exa mple", "a..b", "\u00FC.example.com", "user@host", "a/b", "localhost, other", "example.com."];

    private static readonly string[] s_oddFields =
    [
        "Connection: close", "X-Bytes: \u00FF\u00FE", "X-Bytes: \u0001", "Bad Name: x", "NoColon", ": empty", "Host: other", " folded",
        "Content-Length: x",
    ];

    /// <summary>Whole lines, one or none of each row.</summary>
    private static readonly string[][] s_fields =
    [
        [
            "Accept-Encoding: gzip", "Accept-Encoding: gzip;q=0.5, identity;q=0.1", "Accept-Encoding: identity;q=0, br", "Accept-Encoding: *",
            "Accept-Encoding: br\r\nAccept-Encoding: gzip", "Accept-Encoding: *;q=0",
        ],
        [$"If-None-Match: {TagPlaceholder}", "If-None-Match: *", "If-None-Match: \"other\"", $"If-None-Match: \"a\", W/{TagPlaceholder}"],
        [$"If-Match: {TagPlaceholder}", "If-Match: *", "If-Match: \"other\"", "If-Match: odd"],
        [
            $"If-Modified-Since: {GeneratedRequest.Same}", $"If-Modified-Since: {GeneratedRequest.Earlier}", "If-Modified-Since: no date",
        ],
        [$"If-Unmodified-Since: {GeneratedRequest.Earlier}", $"If-Unmodified-Since: {GeneratedRequest.Later}"],
        ["Range: bytes=0-4", "Range: bytes=2-", "Range: bytes=-3", "Range: bytes=900-", "Range: bytes=0-0,2-3", "Range: lines=1-2", "Range: bytes=5-2"],
        [$"If-Range: {TagPlaceholder}", $"If-Range: {GeneratedRequest.Same}", "If-Range: \"other\""],
        ["Origin: http://example.org"],
        ["X-User: alice", "X-User: admin"],
        ["X-User: admin"],
        ["X-Forwarded-Host: admin.example.com\r\nX-Forwarded-For: 10.0.0.1", "X-Forwarded-Proto: https\r\nX-Forwarded-For: 10.0.0.2"],
        ["Content-Type: text/plain", "Content-Type: application/json"],
        ["X-HTTP-Method-Override: GET", "X-HTTP-Method-Override: PUT"],
        ["Cookie: a=b; c=d", "Authorization: Basic YTpi", "X-Long: " + LongValue],
        ["Connection: keep-alive"],
    ];

    private const string LongValue = "0123456789012345678901234567890123456789012345678901234567890123456789";

    internal static IReadOnlyList<ApplicationRequest> Many(FaultDice dice, GeneratedApplication application, IReadOnlyList<string> paths)
        => [.. Enumerable.Range(0, GeneratedApplication.RequestCount).Select(_ => Make(dice, application, paths))];

    private static ApplicationRequest Make(FaultDice dice, GeneratedApplication application, IReadOnlyList<string> paths)
    {
        GeneratedRoute[] routes = [.. application.Routes, .. application.LateRoutes];
        bool isOfFile = dice.Hits(500);
        string path = isOfFile ? dice.Pick(paths)
            : routes.Length > 0 && dice.Hits(650) ? dice.Pick(routes).Sample(dice)
            : dice.Hits(500) ? Folder(dice.Pick(paths), dice.Hits(500))
            : dice.Pick(["/", "/x/y", "/missing.txt", "/app.js.gz", "/private/", "/old/a", "/x.txt", "/docs/a.b.txt/", "/.git/config"]);
        string target = Encode(dice, path, out bool isPlain);
        if (dice.Hits(300))
        {
            target = ApplicationTarget.Mutate(dice, target);
            isPlain = false;
        }

        if (dice.Hits(150))
        {
            target += dice.Pick(["?", "?a=b", "?branch=1", "?a=%2F&b=+", "?x?y", "?a=\u00FC"]);
        }

        string method = dice.Hits(150) ? dice.Pick(s_methods) : dice.Hits(120) ? "HEAD" : "GET";
        return Write(dice, application, method, target, path, isOfFile && isPlain && method == "GET");
    }

    private static ApplicationRequest Write(
        FaultDice dice, GeneratedApplication application, string method, string target, string path, bool isOfFile)
    {
        bool isOdd = target.Any(static letter => letter is > '~' or < '!');
        string host = dice.Hits(250) ? dice.Pick(s_hosts) : "localhost";
        string version = "1.1";
        string fields = "";
        foreach (string[] row in s_fields)
        {
            fields += dice.Hits(90) ? dice.Pick(row) + "\r\n" : "";
        }

        bool hasTenant = application.Services.HasFlag(ApplicationServices.Tenants) && dice.Hits(400);
        fields += hasTenant ? dice.Pick(["X-Tenant: blue\r\n", "X-Tenant: red\r\n"]) : "";
        if (dice.Hits(60))
        {
            isOdd = true;
            MakeOdd(dice, ref version, ref target, ref host, ref fields);
        }

        string body = "";
        if (method is "POST" or "PUT" or "PATCH")
        {
            body = dice.Pick(["abc", "", "3\r\nabc\r\n0\r\n\r\n"]);
            fields += body.Length > 3 ? "Transfer-Encoding: chunked\r\n"
                : string.Create(CultureInfo.InvariantCulture, $"Content-Length: {body.Length}\r\n");
        }
        else if (method == "GET" && dice.Hits(15))
        {
            body = "abc";
            fields += "Content-Length: 3\r\n";
        }

        string text = $"{method} {target} HTTP/{version}\r\nHost: {host}\r\n{fields}\r\n{body}";
        return new ApplicationRequest(text, path, method == "HEAD", isOdd, isOfFile && !isOdd);
    }

    /// <summary>Asks for something that the server refuses, or takes only just.</summary>
    private static void MakeOdd(FaultDice dice, ref string version, ref string target, ref string host, ref string fields)
    {
        switch (dice.Below(9))
        {
            case 0 or 1 or 2:
                host = dice.Pick(s_oddHosts);
                break;
            case 3 or 4:
                fields += dice.Pick(s_oddFields) + "\r\n";
                break;
            case 5:
                version = dice.Pick(["1.0", "1.0", "1.2", "2.0"]);
                break;
            case 6:
                int count = dice.Pick([90, 99, 100, 101, 120]);
                fields += string.Concat(Enumerable.Range(0, count).Select(static number => $"X-{number}: {number}\r\n"));
                break;
            case 7:
                target += "?" + new string('q', dice.Pick([4000, 8150, 8192, 9000]));
                break;
            default:
                target = dice.Pick(["http://localhost", "http://admin.example.com", "https://localhost:8080", "HTTP://LOCALHOST"]) + target;
                break;
        }
    }

    private static string Folder(string path, bool hasSlash)
    {
        int slash = path.LastIndexOf('/');
        return hasSlash ? path[..(slash + 1)] : slash > 0 ? path[..slash] : "/";
    }

    /// <summary>The path in UTF-8 with what must be encoded, and now and then what need not be, in upper or lower case.</summary>
    private static string Encode(FaultDice dice, string path, out bool isPlain)
    {
        bool isLower = dice.Hits(300);
        bool isEager = dice.Hits(120);
        bool isRaw = dice.Hits(15);
        isPlain = !isEager && !isRaw;
        StringBuilder target = new();
        foreach (byte letter in Encoding.UTF8.GetBytes(path))
        {
            bool isSafe = letter is (>= (byte)'0' and <= (byte)'9') or (>= (byte)'a' and <= (byte)'z') or (>= (byte)'A' and <= (byte)'Z')
                || "/._-+~,:=".Contains((char)letter, StringComparison.Ordinal);
            target.Append(isRaw || (isSafe && !(isEager && letter != '/' && dice.Hits(200)))
                ? ((char)letter).ToString()
                : isLower ? $"%{letter:x2}" : $"%{letter:X2}");
        }

        return target.ToString();
    }

    public override string ToString() => Text;
}
