using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Messages that are used only at the start of a session. Source: PostgreSQL manual, 55.7 Message Formats.</summary>
internal static class StartupMessages
{
    private const int ProtocolVersion = 3 << 16;

    /// <summary>Writes the first message, with the parameters of the session.</summary>
    internal static void WriteStartup(PipeWriter output, PgDataSourceOptions options)
    {
        List<KeyValuePair<string, string>> parameters = Parameters(options);
        int length = sizeof(int) + sizeof(int) + 1;
        foreach ((string name, string value) in parameters)
        {
            length += WireText.Encoding.GetByteCount(name) + WireText.Encoding.GetByteCount(value) + 2;
        }

        var writer = new WireWriter(output.GetSpan(length));
        writer.WriteInt32(length);
        writer.WriteInt32(ProtocolVersion);
        foreach ((string name, string value) in parameters)
        {
            WriteText(ref writer, name);
            WriteText(ref writer, value);
        }

        writer.WriteByte(0);
        output.Advance(writer.Position);
    }

    /// <summary>Writes a password in clear text or as a digest: bytes and a zero.</summary>
    internal static void WritePassword(PipeWriter output, ReadOnlySpan<byte> password)
    {
        int length = sizeof(int) + password.Length + 1;
        var writer = new WireWriter(output.GetSpan(1 + length));
        writer.WriteByte(FrontendMessage.Password);
        writer.WriteInt32(length);
        writer.WriteCString(password);
        output.Advance(writer.Position);
    }

    /// <summary>Selects the mechanism and writes its first message.</summary>
    internal static void WriteSaslInitial(PipeWriter output, string mechanism, ReadOnlySpan<byte> response)
    {
        int length = sizeof(int) + Encoding.ASCII.GetByteCount(mechanism) + 1 + sizeof(int) + response.Length;
        var writer = new WireWriter(output.GetSpan(1 + length));
        writer.WriteByte(FrontendMessage.Password);
        writer.WriteInt32(length);
        WriteText(ref writer, mechanism);
        writer.WriteInt32(response.Length);
        writer.WriteBytes(response);
        output.Advance(writer.Position);
    }

    internal static void WriteSaslResponse(PipeWriter output, ReadOnlySpan<byte> response)
    {
        int length = sizeof(int) + response.Length;
        var writer = new WireWriter(output.GetSpan(1 + length));
        writer.WriteByte(FrontendMessage.Password);
        writer.WriteInt32(length);
        writer.WriteBytes(response);
        output.Advance(writer.Position);
    }

    private static List<KeyValuePair<string, string>> Parameters(PgDataSourceOptions options)
    {
        string user = options.Username ?? "";
        List<KeyValuePair<string, string>> parameters =
        [
            new("user", user),
            new("database", options.Database ?? user),
            new("client_encoding", "UTF8"),
        ];
        AddIfSet(parameters, options, "application_name", options.ApplicationName);
        AddIfSet(parameters, options, "search_path", options.SearchPath);
        AddIfSet(parameters, options, "TimeZone", options.TimeZone);
        AddIfSet(parameters, options, "options", options.Options);

        // No DateStyle: one that is sent here outranks that of the role and the database, and with it the order in which literals are read.
        parameters.AddRange(options.RuntimeParameters);
        return parameters;
    }

    private static void AddIfSet(List<KeyValuePair<string, string>> parameters, PgDataSourceOptions options, string name, string? value)
    {
        if (!string.IsNullOrEmpty(value) && !options.RuntimeParameters.ContainsKey(name))
        {
            parameters.Add(new(name, value));
        }
    }

    private static void WriteText(ref WireWriter writer, string text)
    {
        WireText.Encoding.GetBytes(text, writer.Take(WireText.Encoding.GetByteCount(text)));
        writer.WriteByte(0);
    }
}
