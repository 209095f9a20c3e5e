using System.Collections.Immutable;
using System.IO.Pipelines;
using System.Net.Security;

namespace Ioxide.Pg;

/// <summary>A session that is ready for its first command.</summary>
internal sealed class StartedSession(TlsUpgrade.Transport transport) : IAsyncDisposable
{
    /// <summary>A server reports some 15 settings, and a few more of its extensions.</summary>
    internal const int MaxParameters = 256;

    /// <summary>Characters of all names and values: search_path is reported, and is as long as its user wants.</summary>
    internal const int MaxParameterLength = 1024 * 1024;

    private volatile bool _hasEscapes;
    private int _parameterLength;
    private volatile ImmutableDictionary<string, string> _parameters = ImmutableDictionary.Create<string, string>(StringComparer.Ordinal);

    /// <summary>The server's further messages, including any bytes after the first ReadyForQuery.</summary>
    internal PipeReader Input => transport.Input;

    internal PipeWriter Output => transport.Output;

    /// <summary>The negotiated TLS parameters, or null without TLS.</summary>
    internal PgTlsFacts? Tls => transport.Facts;

    /// <summary>The ParameterStatus values reported until now. The dictionary is immutable. Threads: any.</summary>
    internal ImmutableDictionary<string, string> Parameters => _parameters;

    /// <summary>A backslash escapes in every string: <c>standard_conforming_strings</c> is off. Threads: any.</summary>
    internal bool HasEscapes => _hasEscapes;

    /// <summary>Notices received during start-up, at most <see cref="Startup.MaxNotices"/>.</summary>
    internal List<PgServerMessage> Notices { get; } = [];

    /// <summary>Identifies the session in a cancel request; 0 if the server sent none.</summary>
    internal int ProcessId { get; set; }

    /// <summary>Proves the right to cancel; 4 to 256 bytes, or none.</summary>
    internal byte[] SecretKey { get; set; } = [];

    /// <summary>The state of the first ReadyForQuery: I outside a transaction.</summary>
    internal byte TransactionStatus { get; set; }

    /// <summary>How the session was signed in: trust, password, md5, scram-sha-256, scram-sha-256-plus or oauth.</summary>
    internal string Authentication { get; set; } = "trust";

    /// <summary>Stores a ParameterStatus, also after start-up. True: the setting is new or has changed.</summary>
    /// <exception cref="PgProtocolException">They exceed <see cref="MaxParameters"/> or <see cref="MaxParameterLength"/>.</exception>
    internal bool TakeParameter(ReadOnlySpan<byte> body)
    {
        var reader = new WireReader(body);
        string name = reader.ReadString();
        string value = reader.ReadString();
        bool isKnown = _parameters.TryGetValue(name, out string? before);
        if (before == value)
        {
            return false;
        }

        _parameterLength += isKnown ? value.Length - before!.Length : name.Length + value.Length; // A known one has a value.
        if ((!isKnown && _parameters.Count == MaxParameters) || _parameterLength > MaxParameterLength)
        {
            throw new PgProtocolException(
                $"The server reported more settings than a session keeps: the limits are {MaxParameters} names and {MaxParameterLength} characters "
                    + "in all. Shorten what the session sets, and check that the server is PostgreSQL.");
        }

        _parameters = _parameters.SetItem(name, value);
        if (name == "standard_conforming_strings")
        {
            _hasEscapes = value == "off";
        }

        return true;
    }

    /// <summary>Ends TLS without a closing message. The underlying pipes belong to the caller that supplied them.</summary>
    public ValueTask DisposeAsync() => transport.Stream is SslStream stream ? stream.DisposeAsync() : default;
}
