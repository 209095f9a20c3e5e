using System.Net;

namespace Ioxide.Soak;

/// <summary>Where the server listens.</summary>
/// <param name="Main">The application that stays.</param>
/// <param name="Second">The application that is restarted.</param>
/// <param name="Raw">The raw echo.</param>
internal sealed record Target(IPEndPoint Main, IPEndPoint Second, IPEndPoint Raw);
