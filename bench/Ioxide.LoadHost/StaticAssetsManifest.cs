using System.Globalization;
using System.Security.Cryptography;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.StaticFiles;

namespace Ioxide.LoadHost;

/// <summary>Writes what a build writes for <c>MapStaticAssets</c>: a route a file and coding, with the fields of its answer.</summary>
internal static class StaticAssetsManifest
{
    private static readonly FileExtensionContentTypeProvider s_types = new();
    private static readonly (string Suffix, string Coding, string Quality)[] s_codings = [(".br", "br", "0.9"), (".gz", "gzip", "0.8")];

    /// <returns>The path of the manifest, outside the folder. The caller deletes it.</returns>
    internal static string Write(string folder)
    {
        var endpoints = new JsonArray();
        foreach (string file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories).Where(
            static file => !s_codings.Any(coding => file.EndsWith(coding.Suffix, StringComparison.Ordinal))))
        {
            string route = Path.GetRelativePath(folder, file);
            bool isNegotiated = s_codings.Any(coding => File.Exists(file + coding.Suffix));
            endpoints.Add((JsonNode)Endpoint(folder, route, file, isNegotiated, coding: null, quality: null));
            foreach ((string suffix, string coding, string quality) in s_codings)
            {
                if (File.Exists(file + suffix))
                {
                    endpoints.Add((JsonNode)Endpoint(folder, route, file + suffix, isNegotiated, coding, quality));
                }
            }
        }

        string path = Path.Combine(Path.GetTempPath(), $"ioxide-assets-{Guid.NewGuid():N}.json");
        var manifest = new JsonObject
        {
            ["Version"] = 1,
            ["ManifestType"] = "Publish",
            ["Endpoints"] = endpoints,
        };
        File.WriteAllText(path, manifest.ToJsonString());
        return path;
    }

    private static JsonObject Endpoint(string folder, string route, string file, bool isNegotiated, string? coding, string? quality)
    {
        string tag = Convert.ToBase64String(SHA256.HashData(File.ReadAllBytes(file)));
        var fields = new JsonArray(
            Field("Accept-Ranges", "bytes"),
            Field("Cache-Control", "no-cache"),
            Field("Content-Length", new FileInfo(file).Length.ToString(CultureInfo.InvariantCulture)),
            Field("Content-Type", s_types.TryGetContentType(route, out string? type) ? type : "application/octet-stream"),
            Field("ETag", $"\"{tag}\""),
            Field("Last-Modified", File.GetLastWriteTimeUtc(file).ToString("r", CultureInfo.InvariantCulture)));
        var selectors = new JsonArray();
        if (coding is not null)
        {
            fields.Add((JsonNode)Field("Content-Encoding", coding));
            selectors.Add((JsonNode)new JsonObject { ["Name"] = "Content-Encoding", ["Value"] = coding, ["Quality"] = quality });
        }

        if (isNegotiated)
        {
            fields.Add((JsonNode)Field("Vary", "Accept-Encoding"));
        }

        return new JsonObject
        {
            ["Route"] = route,
            ["AssetFile"] = Path.GetRelativePath(folder, file),
            ["Selectors"] = selectors,
            ["ResponseHeaders"] = fields,
            ["EndpointProperties"] = new JsonArray(),
        };
    }

    private static JsonObject Field(string name, string value) => new JsonObject { ["Name"] = name, ["Value"] = value };
}
