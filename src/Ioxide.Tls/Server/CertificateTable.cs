using System.Collections.Concurrent;

namespace Ioxide.Tls;

/// <summary>The contexts of a server, by name. Immutable but for the contexts that a selector's certificates get on their first use.</summary>
internal sealed class CertificateTable
{
    // A selector that makes a new certificate each time must not fill the memory.
    private const int MaxSelected = 1024;

    private readonly TlsServerOptions _options;
    private readonly NameTable<TlsContext> _byName;
    private readonly ConcurrentDictionary<X509Certificate2, TlsContext> _selected = new(ReferenceEqualityComparer.Instance);
    private volatile bool _hasLongKey;

    internal CertificateTable(TlsServerOptions options, X509Certificate2? certificate, X509Certificate2Collection? chain)
    {
        _options = options;
        Certificate = certificate is null ? null : SslStreamCertificateContext.Create(certificate, chain, offline: true);
        Default = TlsContext.ForServer(options, Certificate);
        _byName = new NameTable<TlsContext>(options.CertificatesByName.Select(pair => KeyValuePair.Create(
            pair.Key, TlsContext.ForServer(options, SslStreamCertificateContext.Create(pair.Value, chain, offline: true)))));
        _hasLongKey = Default.HasLongKey || _byName.Values.Any(static context => context.HasLongKey);
    }

    /// <summary>The context that handshakes begin with.</summary>
    internal TlsContext Default { get; }

    /// <summary>A certificate here has a long key. Which one a client gets is not known when its handshake begins, so it counts for all.</summary>
    /// <remarks>A selector's certificates are known from their first use on.</remarks>
    internal bool HasLongKey => _hasLongKey;

    /// <summary>The default certificate with its chain, or null.</summary>
    internal SslStreamCertificateContext? Certificate { get; }

    /// <summary>The context for a name, or null where it is refused.</summary>
    internal TlsContext? Find(RingConnection connection, string? name)
    {
        if (_options.CertificateSelector?.Invoke(connection, name) is { } selected)
        {
            return Of(selected);
        }

        return name is not null && _byName.Find(name) is { } context ? context
            : Certificate is not null && !(_options.RequireKnownName && name is not null) ? Default
            : null;
    }

    private TlsContext Of(X509Certificate2 certificate)
    {
        if (_selected.TryGetValue(certificate, out TlsContext? context))
        {
            return context;
        }

        if (_selected.Count >= MaxSelected)
        {
            _selected.Clear();
        }

        context = _selected.GetOrAdd(
            certificate,
            static (certificate, options) =>
                TlsContext.ForServer(options, SslStreamCertificateContext.Create(certificate, null, offline: true)),
            _options);
        if (context.HasLongKey)
        {
            _hasLongKey = true;
        }

        return context;
    }
}
