namespace Ioxide.Compare.Loads;

/// <summary>The client that reads single answers. It decompresses nothing.</summary>
internal static class DriverClient
{
#pragma warning disable CA5359 // The server is a child of this program, and its certificate was made for this run.
    internal static readonly HttpClient Instance = new(new SocketsHttpHandler
    {
        UseProxy = false,
        SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost" },
    });
#pragma warning restore CA5359
}
