using Microsoft.AspNetCore.Http;

namespace Ioxide.Files.Tests;

/// <summary>An answer as it is compared.</summary>
/// <param name="EndPoint">The endpoint of the application that made it; null for none.</param>
/// <param name="IsOfFile">Whether it is a file or leads to a folder.</param>
internal sealed record NeighbourAnswer(int Status, string? Location, string? Allow, string? EndPoint, bool IsOfFile, string Text)
{
    internal static NeighbourAnswer Of(RawResponse response, string host) => new(
        response.Status,
        response.Headers.GetValueOrDefault("Location")?.Replace($"http://{host}/", "/", StringComparison.Ordinal),
        response.Headers.GetValueOrDefault("Allow"),
        response.Headers.GetValueOrDefault(NeighbourHost.EndPointField),
        response.Headers.ContainsKey(NeighbourHost.FileField) || response.Status == StatusCodes.Status301MovedPermanently,
        response.Text.Length > 100
            ? $"{response.Text.Length} letters, hash {string.GetHashCode(response.Text, StringComparison.Ordinal)}"
            : response.Text);
}
