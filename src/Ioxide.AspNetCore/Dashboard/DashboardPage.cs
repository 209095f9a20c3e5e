using System.Security.Cryptography;

namespace Ioxide.AspNetCore;

/// <summary>The page, put together from its embedded parts, and the policy that allows it these parts and nothing else.</summary>
internal sealed class DashboardPage
{
    private static readonly string[] s_scripts =
        ["dashboard.format.js", "dashboard.latency.js", "dashboard.plots.js", "dashboard.tables.js", "dashboard.js"];

    internal static readonly DashboardPage Shared = new();

    private DashboardPage()
    {
        string style = Load("dashboard.css");
        string script = string.Concat(s_scripts.Select(Load));
        Content = Encoding.UTF8.GetBytes(Load("dashboard.html")
            .Replace("<style></style>", $"<style>{style}</style>", StringComparison.Ordinal)
            .Replace("<script></script>", $"<script>{script}</script>", StringComparison.Ordinal));
        ContentSecurityPolicy =
            $"default-src 'none'; style-src '{Hash(style)}'; script-src '{Hash(script)}'; connect-src 'self'; img-src data:; " +
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
    }

    internal byte[] Content { get; }

    /// <summary>Source: Content Security Policy Level 3, section 2.3.1 (hash-source).</summary>
    internal string ContentSecurityPolicy { get; }

    private static string Load(string name)
    {
        using Stream stream = typeof(DashboardPage).Assembly.GetManifestResourceStream($"Ioxide.AspNetCore.{name}")
            ?? throw new InvalidOperationException($"{name} is not part of the assembly.");
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return reader.ReadToEnd();
    }

    private static string Hash(string text) => $"sha256-{Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)))}";
}
