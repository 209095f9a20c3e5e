using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Pg;

/// <summary>Certificates from files: trusted roots and the client's own. They are read again when a file has changed.</summary>
/// <remarks>Threads: any; files are read on a thread of their own.</remarks>
internal sealed class TlsMaterial
{
    internal const string SystemRoots = "system";

    private static readonly Loaded s_none = new(null, null, default);

    private readonly PgDataSourceOptions _options;
    private readonly SharedRun<Loaded> _reading;
    private Loaded? _loaded;

    internal TlsMaterial(PgDataSourceOptions options)
    {
        _options = options;
        _reading = new SharedRun<Loaded>(LoadIfChanged);
    }

    private bool HasFiles => _options.RootCertificate is not (null or SystemRoots) || _options.ClientCertificate is not null;

    internal Task<Loaded> GetAsync(CancellationToken cancellationToken)
        => HasFiles ? _reading.GetAsync(cancellationToken) : Task.FromResult(s_none);

    /// <summary>A connection attempt may still use the previous one: its certificates are left to the finalizer.</summary>
    private Loaded LoadIfChanged()
    {
        (DateTime, DateTime, DateTime) stamp = Stamp();
        return _loaded is { } known && known.Stamp == stamp ? known : _loaded = Load(stamp);
    }

    private (DateTime Root, DateTime Certificate, DateTime Key) Stamp()
        => (Changed(_options.RootCertificate), Changed(_options.ClientCertificate), Changed(_options.ClientKey));

    private static DateTime Changed(string? path) => path is null or SystemRoots ? default : File.GetLastWriteTimeUtc(path);

    private Loaded Load((DateTime, DateTime, DateTime) stamp)
    {
        string what = $"the root certificates in {_options.RootCertificate}";
        try
        {
            X509Certificate2Collection? roots = null;
            if (_options.RootCertificate is not (null or SystemRoots))
            {
                roots = [];
                roots.ImportFromPemFile(_options.RootCertificate);
                if (roots.Count == 0)
                {
                    throw new CryptographicException("It holds no PEM certificate.");
                }
            }

            what = $"the client certificate in {_options.ClientCertificate}";
            return new Loaded(roots, LoadClient(), stamp);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw new PgConnectionException($"{char.ToUpperInvariant(what[0])}{what[1..]} cannot be used: {exception.Message}", exception);
        }
    }

    private SslStreamCertificateContext? LoadClient()
    {
        if (_options.ClientCertificate is not { } path)
        {
            return null;
        }

        if (Path.GetExtension(path).ToUpperInvariant() is ".PFX" or ".P12")
        {
            X509Certificate2 bundle = X509CertificateLoader.LoadPkcs12FromFile(path, _options.ClientKeyPassword);
            return SslStreamCertificateContext.Create(bundle, null, offline: true);
        }

        X509Certificate2Collection chain = [];
        chain.ImportFromPemFile(path);
        X509Certificate2 certificate = _options.ClientKeyPassword is { } password
            ? X509Certificate2.CreateFromEncryptedPemFile(path, password, _options.ClientKey)
            : X509Certificate2.CreateFromPemFile(path, _options.ClientKey);
        return SslStreamCertificateContext.Create(certificate, chain, offline: true);
    }

    /// <summary>The contents of the files.</summary>
    /// <param name="Roots">The configured trusted roots, or null for the system's.</param>
    /// <param name="Client">The client's certificate with its chain, or null.</param>
    /// <param name="Stamp">When each file was last changed.</param>
    internal sealed record Loaded(
        X509Certificate2Collection? Roots, SslStreamCertificateContext? Client, (DateTime Root, DateTime Certificate, DateTime Key) Stamp);
}
