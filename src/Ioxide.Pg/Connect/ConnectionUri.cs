using System.Net;
using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Pg;

/// <summary>Reads <c>postgresql://[user[:password]@][host[:port],...][/database][?keyword=value&amp;...]</c> as libpq does.</summary>
/// <remarks>Source: PostgreSQL manual, 34.1.1.2; fe-connect.c, conninfo_uri_parse_options.</remarks>
internal static partial class ConnectionUri
{
    internal static bool IsUri(string text) => Start().IsMatch(text);

    internal static void Read(string text, ConnectionSettings settings)
    {
        Match start = Start().Match(text);
        Store(settings, "user", start.Groups["user"].Value);
        Store(settings, "password", start.Groups["password"].Value);
        int end = ReadHosts(text, start.Length, settings);
        Match database = Database().Match(text, end);
        Store(settings, "dbname", database.Groups["name"].Value);
        ReadParameters(text, end + database.Length + 1, settings);
    }

    private static int ReadHosts(string text, int start, ConnectionSettings settings)
    {
        List<string> hosts = [];
        List<string> ports = [];
        int end = start;
        do
        {
            Match host = Host().Match(text, hosts.Count == 0 ? start : end + 1);
            if (host.Groups["bracket"].Success)
            {
                Check(host, text.Length);
            }

            hosts.Add(host.Groups["name"].Value);
            ports.Add(host.Groups["port"].Value);
            end = host.Index + host.Length;
        }
        while (end < text.Length && text[end] == ',');

        Store(settings, "host", string.Join(',', hosts));
        Store(settings, "port", string.Join(',', ports));
        return end;
    }

    private static void Check(Match host, int length)
    {
        if (host.Groups["close"] is not { Success: true } close)
        {
            throw Malformed(length, "the end was reached where \"]\" of an IPv6 address was expected");
        }

        if (host.Groups["name"].Length == 0)
        {
            throw Malformed(host.Index, "an IPv6 address may not be empty");
        }

        if (!host.Groups["end"].Success)
        {
            throw Malformed(close.Index + 1, "\":\" or \"/\" was expected behind an IPv6 address");
        }
    }

    private static void ReadParameters(string text, int start, ConnectionSettings settings)
    {
        string parameter;
        for (int p = start; p < text.Length; p += parameter.Length + 1)
        {
            parameter = text[p..].Split('&', 2)[0];
            int equals = parameter.IndexOf('=', StringComparison.Ordinal);
            if (equals < 0)
            {
                throw Malformed(p, "\"=\" is missing in a parameter");
            }

            if (parameter.IndexOf('=', equals + 1) >= 0)
            {
                throw Malformed(p + equals, "a parameter has a second \"=\"; write it as %3D");
            }

            string name = Decode(parameter[..equals], "a parameter's name");
            string value = Decode(parameter[(equals + 1)..], name);
            if (name == "ssl" && value == "true")
            {
                // JDBC's spelling.
                name = "sslmode";
                value = "require";
            }

            settings.Set(name, value);
        }
    }

    private static void Store(ConnectionSettings settings, string name, string encoded)
    {
        if (encoded.Length > 0)
        {
            settings.Set(name, Decode(encoded, name));
        }
    }

    private static string Decode(string encoded, string what)
    {
        if (!encoded.Contains('%', StringComparison.Ordinal))
        {
            return encoded;
        }

        if (BadEscape().Match(encoded) is { Success: true } bad)
        {
            throw new ArgumentException($"The URI is malformed: {what} has " +
                (bad.Value == "%00" ? "the forbidden value %00." : "a \"%\" without two hexadecimal digits; write it as %25."));
        }

        // The framework's decoder takes a plus for a space; a URI's does not.
        byte[] bytes = WireText.Encoding.GetBytes(encoded.Replace("+", "%2B", StringComparison.Ordinal));
        try
        {
            return WireText.Encoding.GetString(WebUtility.UrlDecodeToBytes(bytes, 0, bytes.Length));
        }
        catch (DecoderFallbackException)
        {
            throw new ArgumentException($"The URI is malformed: {what} is not UTF-8 once its percent escapes are decoded.");
        }
    }

    private static ArgumentException Malformed(int position, string why)
        => new($"The URI is malformed at character {position + 1}: {why}.");

    [GeneratedRegex("^postgres(ql)?://((?<user>[^:@/]*)(:(?<password>[^@/]*))?@)?", RegexOptions.ExplicitCapture)]
    private static partial Regex Start();

    [GeneratedRegex(
        @"\G((?<bracket>\[)(?<name>[^\]]*)(?<close>\])?(?<end>(?=[:/?,]|\z))?|(?<name>[^:/?,]*))(:(?<port>[^/?,]*))?", RegexOptions.ExplicitCapture)]
    private static partial Regex Host();

    [GeneratedRegex(@"\G(/(?<name>[^?]*))?", RegexOptions.ExplicitCapture)]
    private static partial Regex Database();

    [GeneratedRegex("%(00|(?![0-9A-Fa-f]{2}))", RegexOptions.ExplicitCapture)]
    private static partial Regex BadEscape();
}
