using System.Net;

namespace Ioxide.Tls.Tests;

/// <summary>A case of the catalogue of TLS.</summary>
/// <param name="Id">The script of the catalogue that it stands in, and what it sends: "tls13-keyupdate: empty".</param>
/// <param name="Source">Where the requirement stands.</param>
/// <param name="PlayAsync">Plays it to a server of HTTPS.</param>
internal sealed record TlsCase(string Id, string Source, Func<IPEndPoint, Task<Verdict>> PlayAsync);
