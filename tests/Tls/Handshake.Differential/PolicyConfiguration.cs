namespace Ioxide.Tls.Tests;

/// <summary>A policy of the machine's for TLS, drawn by a seed, as a file <c>openssl.cnf</c>.</summary>
internal sealed class PolicyConfiguration
{
    private static readonly (string Name, string?[] Values)[] s_settings =
    [
        ("MinProtocol", [null, null, "TLSv1", "TLSv1.2", "TLSv1.3"]),
        ("MaxProtocol", [null, null, null, "TLSv1.1", "TLSv1.2", "TLSv1.3"]),
        ("CipherString",
        [
            null, null, "DEFAULT@SECLEVEL=2", "DEFAULT:@SECLEVEL=3", "ALL:@SECLEVEL=0", "HIGH:!aNULL:!CHACHA20", "ECDHE+CHACHA20", "AES256-SHA",
            "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384", "ECDHE+AESGCM:ECDHE+AES", "DHE+AESGCM:ECDHE-ECDSA-AES128-GCM-SHA256",
        ]),
        ("Ciphersuites",
        [
            null, null, null, "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_CCM_SHA256",
            "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256", "TLS_AES_128_CCM_SHA256:TLS_AES_128_GCM_SHA256",
        ]),
        ("Groups", [null, null, "P-384", "X25519", "P-521:P-256"]),
        ("SignatureAlgorithms", [null, null, "ECDSA+SHA256:RSA-PSS+SHA256", "ECDSA+SHA384:RSA+SHA384", "RSA-PSS+SHA256"]),
        ("Options", [null, null, "-SessionTicket", "PrioritizeChaCha", "ServerPreference"]),
        ("Protocol", [null, null, null, null, "ALL,-TLSv1.3", "-ALL,TLSv1.3"]),
    ];

    private readonly string[] _lines;

    internal PolicyConfiguration(Random random) : this(random.Next(2) == 0, [.. s_settings.Select(setting => Draw(random, setting)).OfType<string>()])
    {
    }

    internal PolicyConfiguration(bool isRsa, params string[] lines)
    {
        IsRsa = isRsa;
        _lines = lines;
    }

    /// <summary>The server's key.</summary>
    internal bool IsRsa { get; }

    /// <summary>What <c>openssl fipsinstall</c> wrote; with it only algorithms of the FIPS provider are used.</summary>
    internal string? FipsModule { get; init; }

    public override string ToString() => $"[{string.Join(", ", _lines)}], {(IsRsa ? "RSA" : "ECDSA")}{(FipsModule is null ? "" : ", FIPS")}";

    internal void Write(string path)
    {
        string[] init = [];
        string[] sections = [];
        if (FipsModule is { } module)
        {
            init = ["providers = providers", "alg_section = algorithms"];
            sections =
            [
                $".include {module}", "[providers]", "fips = fips_sect", "base = base_sect", "[base_sect]", "activate = 1", "[algorithms]",
                "default_properties = fips=yes",
            ];
        }

        File.WriteAllLines(
            path,
            ["openssl_conf = init", "[init]", .. init, "ssl_conf = ssl", "[ssl]", "system_default = system", "[system]", .. _lines, .. sections]);
    }

    private static string? Draw(Random random, (string Name, string?[] Values) setting)
        => setting.Values[random.Next(setting.Values.Length)] is { } value ? $"{setting.Name} = {value}" : null;
}
