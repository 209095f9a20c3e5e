using System.Collections.Immutable;
using System.IO.Pipelines;
using System.Net.Security;

namespace Ioxide.Pg;

/// <summary>A session that is ready for its first command.</summary>
internal sealed class StartedSession(TlsUpgrade.Transport transport) : IAsyncDisposable
{
    private volatile bool _hasEscapes;
    private volatile ImmutableDictionary<string, string> _parameters = ImmutableDictionary.Create<string, string>(StringComparer.Ordinal);

    /// <summary>What the server sends from here on. Bytes behind the first ReadyForQuery are still in it.</summary>
    internal PipeReader Input => transport.Input;

    internal PipeWriter Output => transport.Output;

    /// <summary>What TLS was negotiated, or null without TLS.</summary>
    internal PgTlsFacts? Tls => transport.Facts;

    /// <summary>What the server has reported by ParameterStatus until now; it does not change afterwards. Threads: any.</summary>
    internal ImmutableDictionary<string, string> Parameters => _parameters;

    /// <summary>A backslash escapes in every string: <c>standard_conforming_strings</c> is off. Threads: any.</summary>
    internal bool HasEscapes => _hasEscapes;

    /// <summary>Notices of the start, at most <see cref="Startup.MaxNotices"/>.</summary>
    internal List<PgServerMessage> Notices { get; } = [];

    /// <summary>Names the session in a cancel request; 0 where the server gave none.</summary>
    internal int ProcessId { get; set; }

    /// <summary>Proves the right to cancel; 4 to 256 bytes, or none.</summary>
    internal byte[] SecretKey { get; set; } = [];

    /// <summary>The state of the first ReadyForQuery: I outside a transaction.</summary>
    internal byte TransactionStatus { get; set; }

    /// <summary>How the session was signed in: trust, password, md5, scram-sha-256 or scram-sha-256-plus.</summary>
    internal string Authentication { get; set; } = "trust";

    /// <summary>Takes a ParameterStatus, also one that comes later. True: the setting is new, or has another value now.</summary>
    internal bool TakeParameter(ReadOnlySpan<byte> body)
    {
        var reader = new WireReader(body);
        string name = reader.ReadString();
        string value = reader.ReadString();
        bool isNew = !Parameters.TryGetValue(name, out string? before) || before != value;
        _parameters = _parameters.SetItem(name, value);
        if (name == "standard_conforming_strings")
        {
            _hasEscapes = value == "off";
        }

        return isNew;
    }

    /// <summary>Ends TLS, without a farewell. The pipes below belong to whoever gave them.</summary>
    public ValueTask DisposeAsync() => transport.Stream is SslStream stream ? stream.DisposeAsync() : default;
}
