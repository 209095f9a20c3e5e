using System.Text;
using Ioxide.Http2;

namespace Ioxide.Simulation;

/// <summary>Keeps what a decoder gives.</summary>
internal sealed class Fields : IHpackFields
{
    internal Dictionary<string, string> All { get; } = [];

    public void OnField(HpackField field) => All[Encoding.Latin1.GetString(field.Name)] = Encoding.Latin1.GetString(field.Value);

    public void OnLiteral(HpackField? tableName, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isNeverIndexed)
        => All[Encoding.Latin1.GetString(name)] = Encoding.Latin1.GetString(value);
}
