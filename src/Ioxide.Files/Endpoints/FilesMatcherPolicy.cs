using Microsoft.AspNetCore.Routing.Matching;

namespace Ioxide.Files;

/// <summary>Takes a folder's endpoint out of the choice where the folder has no such file, so that others get the request.</summary>
internal sealed class FilesMatcherPolicy : MatcherPolicy, IEndpointSelectorPolicy
{
    public override int Order => 0;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints)
        => endpoints.Any(static endpoint => endpoint.Metadata.GetMetadata<FilesEndpoint>() is not null);

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        for (int index = 0; index < candidates.Count; index++)
        {
            if (candidates.IsValidCandidate(index)
                && candidates[index].Endpoint.Metadata.GetMetadata<FilesEndpoint>() is { } files
                && !files.Matches(httpContext))
            {
                candidates.SetValidity(index, false);
            }
        }

        return Task.CompletedTask;
    }
}
