using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;

namespace Ioxide.Files;

/// <summary>One mapped folder at the front door.</summary>
internal sealed class FrontDoorRoute
{
    private readonly FilesEndpoint _files;

    internal FrontDoorRoute(FilesEndpoint files)
    {
        _files = files;
        PrefixBytes = Encoding.ASCII.GetBytes(PathText.ToTarget(files.Prefix));
    }

    internal FileSite Site => _files.Site;

    internal string Prefix => _files.Prefix;

    /// <summary>The prefix as a request target has it.</summary>
    private byte[] PrefixBytes { get; }

    /// <summary>Gives what lies behind the prefix, from its slash on.</summary>
    internal bool TryTakePrefix(ReadOnlySpan<byte> target, out ReadOnlySpan<byte> path)
    {
        bool isBelow = target.StartsWith(PrefixBytes) && target.Length > PrefixBytes.Length && target[PrefixBytes.Length] == '/';
        path = isBelow ? target[PrefixBytes.Length..] : default;
        return isBelow;
    }

    /// <summary>
    /// What else the application has said of the endpoint, or null. The front door knows nothing of authorization, CORS, rate
    /// limits or whatever a metadata asks of a middleware, so it keeps to endpoints without any.
    /// </summary>
    internal static string? ObstacleOf(Endpoint endpoint)
    {
        foreach (object metadata in endpoint.Metadata)
        {
            if (metadata is not (FilesEndpoint or MethodInfo or IEndpointNameMetadata or IRouteNameMetadata or ITagsMetadata
                or IEndpointSummaryMetadata or IEndpointDescriptionMetadata or IRouteDiagnosticsMetadata or IExcludeFromDescriptionMetadata)
                && metadata.GetType().Namespace != typeof(NullableContextAttribute).Namespace
                && metadata is not System.Diagnostics.DebuggerStepThroughAttribute)
            {
                return metadata.GetType().Name;
            }
        }

        return null;
    }
}
