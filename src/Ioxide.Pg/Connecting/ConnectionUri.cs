using System.Text;

namespace Ioxide.Pg;

/// <summary>Reads <c>postgresql://[user[:password]@][host[:port],...][/database][?keyword=value&amp;...]</c> as libpq does.</summary>
/// <remarks>Source: PostgreSQL manual, 34.1.1.2; fe-connect.c, conninfo_uri_parse_options.</remarks>
internal static class ConnectionUri
{
    internal static bool IsUri(string text) => PrefixLength(text) > 0;

    internal static void Read(string text, ConnectionSettings settings)
    {
        int p = ReadUserInfo(text, PrefixLength(text), settings);
        p = ReadHosts(text, p, settings);
        if (p < text.Length && text[p] == '/')
        {
            int end = IndexOfAny(text, p + 1, "?");
            Store(settings, "dbname", text[(p + 1)..end]);
            p = end;
        }

        if (p < text.Length)
        {
            ReadParameters(text, p + 1, settings);
        }
    }

    private static int PrefixLength(string text)
        => text.StartsWith("postgresql://", StringComparison.Ordinal) ? "postgresql://".Length
            : text.StartsWith("postgres://", StringComparison.Ordinal) ? "postgres://".Length : 0;

    private static int ReadUserInfo(string text, int start, ConnectionSettings settings)
    {
        int at = IndexOfAny(text, start, "@/");
        if (at == text.Length || text[at] != '@')
        {
            return start;
        }

        int colon = IndexOfAny(text, start, ":@");
        Store(settings, "user", text[start..colon]);
        if (text[colon] == ':')
        {
            Store(settings, "password", text[(colon + 1)..at]);
        }

        return at + 1;
    }

    private static int ReadHosts(string text, int start, ConnectionSettings settings)
    {
        var hosts = new StringBuilder();
        var ports = new StringBuilder();
        int p = start;
        while (true)
        {
            p = ReadHost(text, p, hosts);
            if (p < text.Length && text[p] == ':')
            {
                int end = IndexOfAny(text, p + 1, "/?,");
                ports.Append(text, p + 1, end - p - 1);
                p = end;
            }

            if (p == text.Length || text[p] != ',')
            {
                break;
            }

            hosts.Append(',');
            ports.Append(',');
            p++;
        }

        Store(settings, "host", hosts.ToString());
        Store(settings, "port", ports.ToString());
        return p;
    }

    private static int ReadHost(string text, int p, StringBuilder hosts)
    {
        if (p == text.Length || text[p] != '[')
        {
            int end = IndexOfAny(text, p, ":/?,");
            hosts.Append(text, p, end - p);
            return end;
        }

        int close = text.IndexOf(']', p);
        if (close < 0)
        {
            throw Malformed(text.Length, "the end was reached where \"]\" of an IPv6 address was expected");
        }

        if (close == p + 1)
        {
            throw Malformed(p, "an IPv6 address may not be empty");
        }

        hosts.Append(text, p + 1, close - p - 1);
        p = close + 1;
        return p == text.Length || text[p] is ':' or '/' or '?' or ','
            ? p : throw Malformed(p, "\":\" or \"/\" was expected behind an IPv6 address");
    }

    private static void ReadParameters(string text, int p, ConnectionSettings settings)
    {
        while (p < text.Length)
        {
            int end = IndexOfAny(text, p, "&");
            int equals = text.IndexOf('=', p, end - p);
            if (equals < 0)
            {
                throw Malformed(p, "\"=\" is missing in a parameter");
            }

            if (text.IndexOf('=', equals + 1, end - equals - 1) >= 0)
            {
                throw Malformed(equals, "a parameter has a second \"=\"; write it as %3D");
            }

            string name = Decode(text[p..equals], "a parameter's name");
            string value = Decode(text[(equals + 1)..end], name);
            if (name == "ssl" && value == "true")
            {
                // JDBC's spelling.
                name = "sslmode";
                value = "require";
            }

            settings.Set(name, value);
            p = end + 1;
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

        byte[] bytes = WireText.Encoding.GetBytes(encoded);
        int length = 0;
        for (int i = 0; i < bytes.Length; i++)
        {
            byte value = bytes[i];
            if (value == '%')
            {
                if (i + 2 >= bytes.Length || !char.IsAsciiHexDigit((char)bytes[i + 1]) || !char.IsAsciiHexDigit((char)bytes[i + 2]))
                {
                    throw new ArgumentException(
                        $"The URI is malformed: {what} has a \"%\" without two hexadecimal digits; write it as %25.");
                }

                value = Convert.FromHexString([(char)bytes[i + 1], (char)bytes[i + 2]])[0];
                i += 2;
                if (value == 0)
                {
                    throw new ArgumentException($"The URI is malformed: {what} has the forbidden value %00.");
                }
            }

            bytes[length++] = value;
        }

        try
        {
            return WireText.Encoding.GetString(bytes.AsSpan(0, length));
        }
        catch (DecoderFallbackException)
        {
            throw new ArgumentException($"The URI is malformed: {what} is not UTF-8 once its percent escapes are decoded.");
        }
    }

    private static int IndexOfAny(string text, int start, ReadOnlySpan<char> stops)
    {
        int index = text.AsSpan(start).IndexOfAny(stops);
        return index < 0 ? text.Length : start + index;
    }

    private static ArgumentException Malformed(int position, string why)
        => new($"The URI is malformed at character {position + 1}: {why}.");
}
