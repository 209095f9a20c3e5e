using System.Text;

namespace Ioxide.TestKit;

/// <summary>One HTTP/1 response, its body without framing.</summary>
internal sealed record RawResponse(int Status, IReadOnlyDictionary<string, string> Headers, byte[] Body)
{
    internal string Text => Encoding.UTF8.GetString(Body);
}
